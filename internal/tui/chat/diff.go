package chat

import "strings"

// Most of what is compared and shown, in lines.
const (
	maxDiffLines = 4000 // compared line by line; larger ones are replaced whole
	maxEdits     = 600
	diffContext  = 2
)

// edit is a line of a diff: ' ', '+' or '-'.
type edit struct {
	op   byte
	text string
	a, b int // the line's number in the old and the new text, from 1
}

// splitLines are a text's lines; a newline at the end makes none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// diffLines compares two texts line by line (Myers' greedy algorithm), with the
// fewest lines taken away and added.
func diffLines(before, after string) []edit {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := make([]edit, 0, len(b)+8)
	for i := range head {
		out = append(out, edit{' ', a[i], i + 1, i + 1})
	}
	out = appendMiddle(out, a[head:len(a)-tail], b[head:len(b)-tail], head)
	for i := range tail {
		x, y := len(a)-tail+i, len(b)-tail+i
		out = append(out, edit{' ', a[x], x + 1, y + 1})
	}
	return out
}

// appendMiddle compares what differs somewhere; off is how many lines stand
// before both.
func appendMiddle(out []edit, a, b []string, off int) []edit {
	whole := func() []edit {
		for i, l := range a {
			out = append(out, edit{'-', l, off + i + 1, 0})
		}
		for i, l := range b {
			out = append(out, edit{'+', l, 0, off + i + 1})
		}
		return out
	}
	n, m := len(a), len(b)
	if n == 0 || m == 0 || n+m > maxDiffLines {
		return whole()
	}
	most := min(n+m, maxEdits)
	v := make([]int, 2*most+3) // furthest x by diagonal k, at v[k+most+1]
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			at := k + most + 1
			x := v[at-1] + 1
			if k == -d || k != d && v[at-1] < v[at+1] {
				x = v[at+1]
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[at] = x
			if x >= n && y >= m {
				return append(out, backtrack(trace, a, b, most, off)...)
			}
		}
	}
	return whole()
}

func backtrack(trace [][]int, a, b []string, most, off int) []edit {
	x, y := len(a), len(b)
	var back []edit
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		k := x - y
		at := k + most + 1
		prev := k - 1
		if k == -d || k != d && v[at-1] < v[at+1] {
			prev = k + 1
		}
		px := v[prev+most+1]
		py := px - prev
		for x > px && y > py && x > 0 && y > 0 {
			x, y = x-1, y-1
			back = append(back, edit{' ', a[x], off + x + 1, off + y + 1})
		}
		if d == 0 {
			break
		}
		if x == px {
			y--
			back = append(back, edit{'+', b[y], 0, off + y + 1})
		} else {
			x--
			back = append(back, edit{'-', a[x], off + x + 1, 0})
		}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// changed counts the lines that were added and taken away.
func changed(edits []edit) (added, gone int) {
	for _, e := range edits {
		switch e.op {
		case '+':
			added++
		case '-':
			gone++
		}
	}
	return added, gone
}

// hunks leaves out of a diff what is far from every change; a line with op 0
// stands for what was left out.
func hunks(edits []edit) []edit {
	keep := make([]bool, len(edits))
	for i, e := range edits {
		if e.op == ' ' {
			continue
		}
		for j := max(i-diffContext, 0); j <= min(i+diffContext, len(edits)-1); j++ {
			keep[j] = true
		}
	}
	var out []edit
	for i, e := range edits {
		switch {
		case keep[i]:
			out = append(out, e)
		case len(out) > 0 && out[len(out)-1].op != 0:
			out = append(out, edit{})
		}
	}
	if n := len(out); n > 0 && out[n-1].op == 0 {
		out = out[:n-1]
	}
	return out
}
