// Package history finds past conversations by what was said in them, over all
// agents' stores on this machine. It keeps an index (state/index.db, SQLite
// with FTS5), which is a cache: it holds, for each conversation, where it is,
// its title and its times, and which words occur in it; never the text, which
// stays in the agents' own files. What is lost, broken or of another version
// is made anew.
//
// The words are cut here, not by one of SQLite's tokenizers, so that each is
// exactly one term of the index and needs no position in it:
//
//   - unicode61 takes a run of Chinese or Japanese for one word, so that
//     nothing in the middle of a sentence is found;
//   - trigram finds everything of three characters and more, at several times
//     the size of the text, and nothing of two, which most Chinese words have.
//
// Here such scripts give pairs of characters, and identifiers give themselves
// and their parts (parseHTTPRequest: parsehttprequest, parse, http, request).
package history
