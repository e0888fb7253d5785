// Package resume decides which conversation a session is in and how it is
// launched back into exactly that one, or why it cannot be (the Agent Terminal
// Protocol document, "Resume"). It is pure but for the looks at an agent's
// store; it reads no database (see its package discover for that), so that a
// session's host stays small.
package resume
