//go:build unix

package acp

import (
	"fmt"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string
	}{
		{[]string{"aé\r"}, "a é Enter"},
		{[]string{"\xc3", "\xa9"}, "é"},
		{[]string{"\x1b"}, "Cancel"},
		{[]string{"\x1b[5~\x1b[6~\x1b[A"}, "Up Down"},
		{[]string{"\x1b[", "5~x"}, "Up x"},
		{[]string{"\x1b[200~a\nb\x1b[201~\r"}, "a ⏎ b Enter"},
		{[]string{"\x7f\x15\x03\x01"}, "Erase Clear Cancel"},
		{[]string{"\x1bx\x1b[27u\x1b[13u"}, "Cancel Enter"},
	} {
		var k keys
		got := ""
		for _, in := range c.in {
			for _, one := range k.read([]byte(in)) {
				name := [...]string{keyEnter: "Enter", keyErase: "Erase", keyClear: "Clear", keyCancel: "Cancel", keyUp: "Up", keyDown: "Down"}[one.kind]
				if one.kind == keyText {
					name = string(one.r)
				}
				if name == "\n" {
					name = "⏎"
				}
				got += " " + name
			}
		}
		if got != " "+c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWrapped(t *testing.T) {
	if got := fmt.Sprint(wrapped("ab漢字c\n\nx", 4)); got != "[ab漢 字c  x]" {
		t.Errorf("%q", got)
	}
}
