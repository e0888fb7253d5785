// Package console is the terminal outside, for tests: it starts a program on a
// PTY, shows what it draws as text, answers the queries that programs put to a
// terminal, and types. It is a small reading of the same escape codes that
// package vt reads in full, written apart from it, so that the two can be held
// against each other.
//
// Waiting is for what the program does (text on the screen, a title, its end),
// never for a time.
package console
