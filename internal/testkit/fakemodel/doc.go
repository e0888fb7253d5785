// Package fakemodel is a model server for tests. It speaks the wire protocols
// of Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini
// on the loopback, streamed the way each of them streams, so that published
// agent CLIs complete whole turns without an account.
//
// What it answers is decided in this order: a rule of the test's script, a
// keyword in the newest prompt, one sentence that repeats the prompt. Requests
// that agents make beside the conversation (titles, flags) are told apart and
// answered by themselves.
//
//	TOOL      calls the agent's shell tool (`TOOL` then a command in backticks
//	          runs that command)
//	EDIT      calls the agent's tool that writes a file (`EDIT /abs/file`)
//	QUESTION  calls the agent's tool that asks the user
//	SLOW      streams a long sentence word by word, 400 ms apart
//	HANG      streams one word, then nothing until the client leaves
//	HOLD:name streams one word, then waits until the gate of that name opens
//	FAIL      answers HTTP 500
//	RATELIMIT answers HTTP 429
//	LONG      answers some thirty lines of Markdown
//
// A test holds a turn open with a gate, an event and not a time:
//
//	gate := srv.Gate("mid")
//	// … the agent is given the prompt "HOLD:mid please" …
//	gate.Wait(ctx) // the first word has been sent
//	gate.Open()    // the turn goes on and ends
package fakemodel
