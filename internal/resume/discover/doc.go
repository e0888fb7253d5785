// Package discover reads the records that agents keep of the conversations
// whose ids they make themselves: first lines of logs, metadata files, and
// rows of a database beside its running writer. What a record means is decided
// in package resume.
package discover
