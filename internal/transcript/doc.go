// Package transcript reads the conversations that agents keep on disk: where
// one is (Find), how far it has got without reading it twice (Counter), and
// what was said (Read). What is particular to an agent is the layout that its
// manifest names (transcript.format, see Formats); the files are the agents'
// own, written while they are read, and treated as hostile: every line, file
// and list is bounded, and nothing but regular files is opened.
package transcript
