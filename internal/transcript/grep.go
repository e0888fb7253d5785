package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
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
	may := filterOf(word)
	var out []Message
	return unlessStopped(eachLine(ctx, io.NewSectionReader(f, 0, info.Size()), func(n int, line []byte) error {
		if !may(line) {
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

// filterOf tells quickly which lines can say the word: not more, at times less
// surely.
func filterOf(word string) func(line []byte) bool {
	want := []byte(word)
	escaped := []byte(`\u`) // may stand for anything
	switch {
	case !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }):
		return func(line []byte) bool {
			return containsFold(line, want) || hasAccents(line) || bytes.Contains(line, escaped)
		}
	case !strings.ContainsFunc(word, func(r rune) bool { return unicode.ToUpper(r) != r }):
		return func(line []byte) bool { return bytes.Contains(line, want) || bytes.Contains(line, escaped) }
	}
	return func([]byte) bool { return true }
}

// hasAccents reports whether a line has Latin letters with accents, which a
// word without them finds: U+00C0 to U+017F, or combining ones.
func hasAccents(line []byte) bool {
	for _, b := range line {
		if b >= 0xc3 && b <= 0xc5 || b == 0xcc || b == 0xcd {
			return true
		}
	}
	return false
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
