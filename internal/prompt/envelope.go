package prompt

import "strings"

// An envelope is one line in square brackets, so that it is known again
// whatever became of the text around it: a program that shortens it, joins
// lines or makes a title of it.
const (
	envelopeOpen  = "[termio: "
	envelopeClose = "]"
	envelopeTrace = "termio: the se" // its first words, in lower case
)

// Envelope is what a spawned agent's prompt opens with: who spawned it, the one
// way back, and where its result is read. link is the caller's. The task
// follows: on the same line when it is one line, so that it stays one.
func Envelope(link, task string) string {
	head := envelopeOpen + "the session " + link + " gave you the task that follows. " +
		"It reads your result from your transcript, so do not send it. " +
		"The only way back is `termio sessions send " + link + " \"…\"`, for two things: " +
		"one line \"QUESTION: …\" if you cannot go on without an answer, and one line \"DONE: …\" at the end. " +
		"Send nothing else there, and give no work back." + envelopeClose
	if strings.ContainsAny(task, "\r\n") {
		return head + "\n\n" + task
	}
	return head + " " + task
}

// Task is a prompt without its envelope, if it has one.
func Task(prompt string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(prompt, " \t\r\n"), envelopeOpen)
	if !ok {
		return prompt
	}
	_, task, whole := strings.Cut(rest, envelopeClose)
	if !whole {
		return "" // cut off inside the envelope
	}
	return strings.TrimLeft(task, " \t\r\n")
}

// HasEnvelope reports whether a text shows an envelope, or what a program left
// of one in a title: it says nothing of the task.
func HasEnvelope(text string) bool {
	return strings.Contains(strings.ToLower(text), envelopeTrace)
}
