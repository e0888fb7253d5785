package transcript

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ToEnd as the end of a range is the end of the transcript.
const ToEnd = -1

// Read is what was said in the lines from (counted from 0) up to, not
// including, to. What is not there yet is left out. A path of a database is
// the file, "#" and the conversation's id.
func Read(format, path string, from, to int) ([]Message, error) {
	messages, _, err := ReadPart(format, path, from, to, 0)
	return messages, err
}

// ReadPart is Read that stops after about so many bytes of text, 0 for no
// limit. It returns the line from which to go on, to (or the number of lines)
// when nothing was left out.
func ReadPart(format, path string, from, to, most int) ([]Message, int, error) {
	l, err := layoutOf(format)
	if err != nil {
		return nil, 0, err
	}
	if l.decoder == nil {
		return readDatabase(path, from, to, most)
	}
	f, info, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, max(from, 0), nil // an honest empty conversation
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read a transcript: %w", err)
	}
	defer f.Close()
	d := l.decoder()
	var out []Message
	size, next := 0, 0
	err = eachLine(context.Background(), io.NewSectionReader(f, 0, info.Size()), func(n int, line []byte) error {
		next = n + 1
		if n < from && !l.rewrites {
			return nil
		}
		if to >= 0 && n >= to || most > 0 && size >= most {
			next = n
			return errStop
		}
		had := len(out)
		d.line(n, line, &out)
		for _, m := range out[min(had, len(out)):] {
			if m.Line < from {
				continue
			}
			size += len(m.Text)
			if m.Tool != nil {
				size += len(m.Tool.Input)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, 0, fmt.Errorf("read a transcript: %w", err)
	}
	if e, ok := d.(ender); ok {
		e.end(&out)
	}
	out = slices.DeleteFunc(out, func(m Message) bool { return m.Line < from })
	countUsageOnce(out)
	return out, next, nil
}

var errStop = errors.New("stop")

// countUsageOnce leaves the last of the counts that belong to one answer of
// the model: an agent may write an answer in several lines, each with them.
func countUsageOnce(messages []Message) {
	seen := map[string]bool{}
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Usage == nil || m.usageID == "" {
			continue
		}
		if seen[m.usageID] {
			m.Usage = nil
		}
		seen[m.usageID] = true
	}
}

// Scan reads on from a mark, calls each for what was said, and returns what
// the transcript says of itself and where it ended. Decoded text is handed
// over line by line, so memory is bounded by a line. When what was before the
// mark is not there any more it starts from the beginning, and says so.
// The About covers only the lines that were read.
func Scan(ctx context.Context, format, path string, from Mark, each func(Message) error) (about About, to Mark, anew bool, err error) {
	l, err := layoutOf(format)
	if err != nil {
		return About{}, from, false, err
	}
	if l.decoder == nil {
		return scanDatabase(ctx, path, from, each)
	}
	f, info, err := openRegular(path)
	if err != nil {
		return About{}, from, false, fmt.Errorf("read a transcript: %w", err)
	}
	defer f.Close()
	if !from.Follows(f, info.Size()) {
		from, anew = Mark{}, true
	}
	to = from
	d := l.decoder()
	var out []Message
	r := io.NewSectionReader(f, from.Offset, info.Size()-from.Offset)
	err = eachLine(ctx, r, func(n int, line []byte) error {
		to.Lines++
		out = out[:0]
		d.line(from.Lines+n, line, &out)
		for _, m := range out {
			d.about().saw(&m)
			if err := each(m); err != nil {
				return err
			}
		}
		return nil
	}, &to.Offset)
	if err != nil {
		return About{}, from, anew, fmt.Errorf("read a transcript: %w", err)
	}
	if e, ok := d.(ender); ok {
		out = out[:0]
		e.end(&out)
		for _, m := range out {
			d.about().saw(&m)
			if err := each(m); err != nil {
				return About{}, from, anew, fmt.Errorf("read a transcript: %w", err)
			}
		}
	}
	if err := to.remember(f); err != nil {
		return About{}, from, anew, fmt.Errorf("read a transcript: %w", err)
	}
	return l.complete(*d.about(), path), to, anew, nil
}

// saw takes a message into account.
func (a *About) saw(m *Message) {
	if m.again {
		return
	}
	a.Messages++
	if m.Role == User {
		a.Prompts++
		if a.Title == "" {
			a.Title = titleOf(m.Text)
		}
	}
	if !m.At.IsZero() {
		if a.Created.IsZero() {
			a.Created = m.At
		}
		if m.At.After(a.Updated) {
			a.Updated = m.At
		}
	}
}

// Head is what the first lines of a transcript say of its conversation.
func Head(format, path string) (About, error) {
	l, err := layoutOf(format)
	if err != nil {
		return About{}, err
	}
	if l.decoder == nil {
		return headDatabase(path)
	}
	f, _, err := openRegular(path)
	if err != nil {
		return About{}, fmt.Errorf("read a transcript: %w", err)
	}
	defer f.Close()
	const enough = 1 << 20 // bytes
	d := l.decoder()
	var out []Message
	err = eachLine(context.Background(), io.LimitReader(f, enough), func(n int, line []byte) error {
		d.line(n, line, &out)
		if a := d.about(); a.ID != "" && a.Dir != "" || n > 100 {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return About{}, fmt.Errorf("read a transcript: %w", err)
	}
	return l.complete(*d.about(), path), nil
}

// eachLine calls f for every complete line, without its newline; a line that
// is too long comes empty. offsets are moved past each line that f took.
func eachLine(ctx context.Context, r io.Reader, f func(n int, line []byte) error, offsets ...*int64) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for n := 0; ; n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		long = long[:0]
		length, skipped := 0, false
		for {
			part, err := in.ReadSlice('\n')
			length += len(part)
			if err == nil && len(long) == 0 && !skipped {
				long = append(long, part...)
				break
			}
			if !skipped && len(long)+len(part) <= maxLine {
				long = append(long, part...)
			} else {
				skipped = true
			}
			if err == nil {
				break
			}
			if errors.Is(err, io.EOF) {
				return nil // half a line, or none
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		line := bytes.TrimRight(long, "\r\n")
		if skipped {
			line = nil
		}
		if err := f(n, line); err != nil {
			return err
		}
		for _, o := range offsets {
			*o += int64(length)
		}
		if cap(long) > 1<<20 {
			long = nil // one long line must not cost its memory for ever
		}
	}
}
