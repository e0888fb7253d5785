package vt

// Event is what the program said that is not drawing. Which fields have a
// meaning depends on Kind.
type Event struct {
	Kind EventKind
	// Text is the event's text; see the kinds.
	Text string
	// Title is a notification's title, "" without one.
	Title string
	// Progress is the state of an EventProgress.
	Progress Progress
	// Status is the report of an EventProgramStatus, already validated.
	Status ProgramStatus
	// Mark is the letter of an EventPromptMark: 'A' prompt, 'B' input, 'C'
	// output, 'D' end.
	Mark byte
	// ExitCode is the exit code that a 'D' mark brought, -1 without one.
	ExitCode int
	// Data is valid during the call only.
	Data []byte
}

// EventKind says what an event is.
type EventKind uint8

// The kinds of events.
const (
	EventTitle            EventKind = iota + 1 // Text is the new title
	EventIconName                              // Text is the new icon name
	EventBell                                  // BEL
	EventNotification                          // OSC 9, 99, 777: Title and Text
	EventProgress                              // OSC 9;4: Progress
	EventProgramStatus                         // OSC 7501: Status
	EventWorkingDirectory                      // OSC 7: Text is the path
	EventClipboard                             // OSC 52: Text the selection, Data the bytes to put there
	EventPromptMark                            // OSC 133: Mark, ExitCode
	EventImage                                 // Data is a whole kitty graphics APC or sixel DCS, introducer and terminator included
	EventReset                                 // RIS
	EventAltScreen                             // the alternate screen was entered or left
	EventPalette                               // a colour was changed by OSC 4, 10–12, 104 or 110–112
	EventTerminalAgent                         // OSC 26: Text is the payload
	EventResume                                // OSC 88: Text is the payload, never to be acted on without the user's word
)

// emit hands an event to the owner.
func (t *Terminal) emit(e Event) {
	if t.event != nil {
		t.event(e)
	}
}
