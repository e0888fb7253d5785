package corpus

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestDeterministicAndLargeEnough(t *testing.T) {
	for _, c := range All {
		a, b := c.Bytes(1<<16), c.Bytes(1<<16)
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two calls", c.Name)
		}
		if len(a) < 1<<16 {
			t.Errorf("%s: %d bytes, want at least %d", c.Name, len(a), 1<<16)
		}
		if !utf8.Valid(a) {
			t.Errorf("%s is not UTF-8", c.Name)
		}
	}
}
