// Package scriptagent is a coding agent made for tests: a program in a
// terminal that does what a prompt tells it, in the temper that its flags give
// it. It writes raw escape codes itself and shares no code with the terminal
// engine.
//
// Prompts that it obeys (anything else is answered with "You said: …",
// with the number of bytes when they are more than 200):
//
//	work MS            works for MS milliseconds
//	hold PATH          works until somebody opens the FIFO at PATH for writing
//	hang               works until it is interrupted (Esc or Ctrl-C)
//	ask TEXT           asks a question: 1, 2 or Enter, Esc
//	allow COMMAND      asks for permission, in the same way
//	say TEXT           answers TEXT
//	flood BYTES        writes that many bytes of lines
//	title TEXT         sets the title
//	progress ST N      sends OSC 9;4
//	osc TEXT           sends any OSC
//	report EVENT       calls the hook command with that event
//	recall             tells what was said in this conversation (-store)
//	/new, /fork        begins a new conversation, or goes on in a copy
//	rotate             begins a new conversation, as /clear does
//	spawn KIND         starts a child (see -children)
//	size               prints rows and columns
//	die CODE           ends at once, with the terminal as it stands
//	exec FLAGS…        replaces itself with a new one, same process
//	update             replaces its own executable file, then exits 0
//	exit CODE          leaves in order
//
// A prompt that comes while it works is queued and taken up afterwards.
package scriptagent
