package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// series is one figure measured over the rounds of one run.
type series []float64

func (s series) median() float64 {
	if len(s) == 0 {
		return 0
	}
	c := slices.Sorted(slices.Values(s))
	if n := len(c); n%2 == 0 {
		return (c[n/2-1] + c[n/2]) / 2
	}
	return c[len(c)/2]
}

func (s series) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	c := slices.Sorted(slices.Values(s))
	return c[min(len(c)-1, int(q*float64(len(c))))]
}

func (s series) String() string {
	if len(s) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s–%s)", num(s.median()), num(slices.Min(s)), num(slices.Max(s)))
}

func num(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// ratio is ours over theirs with what it should reach.
type ratio struct {
	value, want float64
	atMost      bool
}

func (r ratio) String() string {
	if r.value == 0 {
		return "–"
	}
	sign, ok := "≥", r.value >= r.want
	if r.atMost {
		sign, ok = "≤", r.value <= r.want
	}
	verdict := "reached"
	if !ok {
		verdict = "short"
	}
	return fmt.Sprintf("%s (%s %s: %s)", num(r.value), sign, num(r.want), verdict)
}

// table prints rows in aligned columns under a title.
type table struct {
	title string
	rows  [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print() {
	fmt.Printf("\n%s\n", t.title)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range t.rows {
		fmt.Fprintln(w, "  "+strings.Join(r, "\t"))
	}
	w.Flush()
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
