// Package chat is a conversation with an agent over the Agent Client Protocol
// as a person reads it and takes part in it: pure, with no terminal, no clock
// and no files.
//
// A Reader makes events of a journal's lines, a Log makes blocks of events, a
// View shows the part of the Log that fits, and a Chat adds what a person types
// with: a prompt of several lines with completions, the question that stands,
// choices of model and mode. A Chat takes keys by their names and gives back
// Actions as values, and draws itself as a Frame of styled lines; what colours
// the styles have is the caller's.
package chat
