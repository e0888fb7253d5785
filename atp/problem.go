package atp

import (
	"fmt"
	"strings"
)

// Severity tells an error, which makes a manifest unusable, from a warning.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one thing that is wrong with a manifest file.
type Problem struct {
	File string `json:"file"`
	// Path is the key, as in "hooks.events[2].state"; empty for the file.
	Path string `json:"path,omitempty"`
	// Line and Column (in bytes) start at 1; 0 when unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Rule is the stable name of what was broken, as in "required".
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Message says what is wrong, Fix what to do.
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// Error is the problem on one line: file, position, key, message and what to
// do.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	fmt.Fprintf(&b, "%s [%s]", p.Advice(), p.Rule)
	return b.String()
}

// Advice says what is wrong and what to do.
func (p Problem) Advice() string {
	if p.Fix == "" {
		return p.Message
	}
	return p.Message + "; " + p.Fix
}

// Problems is a list of problems in the order of the file. It is the error
// that the decoder returns.
type Problems []Problem

// Error is one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single problems to errors.As and errors.Is.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// Errors are the problems that make the manifest unusable.
func (ps Problems) Errors() Problems { return ps.only(SeverityError) }

// Warnings are the problems that do not.
func (ps Problems) Warnings() Problems { return ps.only(SeverityWarning) }

func (ps Problems) only(s Severity) Problems {
	var out Problems
	for _, p := range ps {
		if p.Severity == s {
			out = append(out, p)
		}
	}
	return out
}
