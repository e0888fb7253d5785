package vt

import "testing"

func TestCommandAt(t *testing.T) {
	const (
		prompt = "\x1b]133;A\a$ \x1b]133;B\a"
		output = "\r\n\x1b]133;C\a"
		end    = "\x1b]133;D;0\a"
	)
	term := New(Options{Cols: 20, Rows: 6, Scrollback: 50})
	term.Write([]byte("motd\r\n" +
		prompt + "echo one" + output + "one\r\nmore\r\n" + end + // rows 1–3
		prompt + "true" + output + end + // row 4
		"\x1b]133;A\atwo-line\r\n$ \x1b]133;B\aecho a long command, wrapped" + output + "a long command, wrapped\r\n" + end + // 5–9
		prompt + "sleep 9" + output + "zz")) // 10–11
	tests := []struct {
		y             int
		input, output string
	}{
		{1, "$ echo one\n", "one\nmore\n"},
		{2, "$ echo one\n", "one\nmore\n"},
		{3, "$ echo one\n", "one\nmore\n"},
		{4, "$ true\n", ""},
		{5, "two-line\n$ echo a long command, wrapped\n", "a long command, wrapped\n"},
		{9, "two-line\n$ echo a long command, wrapped\n", "a long command, wrapped\n"},
		{11, "$ sleep 9\n", "zz"}, // the last row has no end
		{99, "$ sleep 9\n", "zz"}, // the last row has no end
	}
	for _, tt := range tests {
		in, out, ok := term.CommandAt(tt.y)
		if !ok {
			t.Errorf("no command at row %d", tt.y)
			continue
		}
		if got := term.RangeText(in); got != tt.input {
			t.Errorf("row %d: input %q, want %q", tt.y, got, tt.input)
		}
		if got := term.RangeText(out); got != tt.output {
			t.Errorf("row %d: output %q, want %q", tt.y, got, tt.output)
		}
	}
	for _, y := range []int{0, -1} {
		if in, out, ok := term.CommandAt(y); ok {
			t.Errorf("a command at row %d: %v, %v", y, in, out)
		}
	}
	if _, _, ok := New(Options{Cols: 5, Rows: 2}).CommandAt(1); ok {
		t.Error("a command on a blank screen")
	}
}
