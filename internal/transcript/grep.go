package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// Grep reads a transcript until found returns true. Only what may contain the
// word, a word in small letters, is decoded and handed over.
func Grep(ctx context.Context, format, path, word string, found func(Message) bool) error {
	l, err := layoutOf(format)
	if err != nil {
		return err
	}
	if l.decoder == nil {
		_, _, _, err := scanDatabase(ctx, path, Mark{}, func(m Message) error { return stopIf(found(m)) })
		return unlessStopped(err)
	}
	f, info, err := openRegular(path)
	if err != nil {
		return fmt.Errorf("search a transcript: %w", err)
	}
	defer f.Close()
	d := l.decoder()
	want := []byte(word)
	ascii := isASCII(want)
	var out []Message
	return unlessStopped(eachLine(ctx, io.NewSectionReader(f, 0, info.Size()), func(n int, line []byte) error {
		// An accent may be missing in the word, and \u may stand for anything.
		if ascii && isASCII(line) && !containsFold(line, want) && !bytes.Contains(line, []byte(`\u`)) {
			return nil
		}
		out = out[:0]
		d.line(n, line, &out)
		for _, m := range out {
			if found(m) {
				return errStop
			}
		}
		return nil
	}))
}

func stopIf(stop bool) error {
	if stop {
		return errStop
	}
	return nil
}

func unlessStopped(err error) error {
	if err == nil || errors.Is(err, errStop) {
		return nil
	}
	return fmt.Errorf("search a transcript: %w", err)
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// containsFold is bytes.Contains for ASCII, whatever the case of text; word is
// in small letters.
func containsFold(text, word []byte) bool {
	if len(word) == 0 {
		return true
	}
	low, up := word[0], word[0]
	if 'a' <= low && low <= 'z' {
		up = low - 'a' + 'A'
	}
	for _, first := range []byte{low, up} {
		for at := 0; ; at++ {
			i := bytes.IndexByte(text[at:], first)
			if i < 0 {
				break
			}
			if at += i; len(text)-at < len(word) {
				break
			}
			if bytes.EqualFold(text[at:at+len(word)], word) {
				return true
			}
		}
		if low == up {
			break
		}
	}
	return false
}
