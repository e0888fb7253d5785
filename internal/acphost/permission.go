package acphost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Mode says who answers an agent that asks for permission (rows 161–164).
type Mode string

// The modes. Restricted lets the agent read, search and think, once each time,
// and rejects the rest; Ask leaves every answer to people; Auto takes the
// first option that allows once; Strict answers that the request is cancelled.
const (
	Restricted Mode = "restricted"
	Ask        Mode = "ask"
	Auto       Mode = "auto"
	Strict     Mode = "strict"
)

// Modes are all of them.
func Modes() []Mode { return []Mode{Restricted, Ask, Auto, Strict} }

// ParseMode reads a mode; empty means Restricted.
func ParseMode(s string) (Mode, error) {
	if s == "" {
		return Restricted, nil
	}
	if m := Mode(s); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("there is no permission mode %q; the modes are restricted, ask, auto and strict", s)
}

// Acts tells whether the agent may act through its client: write files, run
// terminals.
func (m Mode) Acts() bool { return m == Ask || m == Auto }

// Decide answers a request for permission without a person. ask means that
// only a person can.
func Decide(m Mode, kind acp.ToolKind, options []acp.PermissionOption) (outcome acp.RequestPermissionOutcome, ask bool) {
	allow := false
	switch m {
	case Ask:
		return outcome, true
	case Strict:
		return cancelled, false
	case Auto:
		allow = true
	case Restricted:
		switch kind {
		case acp.ToolKindRead, acp.ToolKindSearch, acp.ToolKindThink:
			allow = true
		}
	}
	if allow {
		if o, ok := ofKind(options, acp.PermissionOptionKindAllowOnce); ok {
			return selected(o), false
		}
	}
	return Reject(options), false
}

var cancelled = acp.RequestPermissionOutcome{Outcome: "cancelled"}

func selected(o acp.PermissionOption) acp.RequestPermissionOutcome {
	return acp.RequestPermissionOutcome{Outcome: "selected", OptionID: o.OptionID}
}

// Reject is the answer that denies: an option that rejects once, else the
// request's cancellation. An option of another kind, or of none, is nobody's
// to choose.
func Reject(options []acp.PermissionOption) acp.RequestPermissionOutcome {
	if o, ok := ofKind(options, acp.PermissionOptionKindRejectOnce); ok {
		return selected(o)
	}
	return cancelled
}

func ofKind(options []acp.PermissionOption, kind acp.PermissionOptionKind) (acp.PermissionOption, bool) {
	i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == kind })
	if i < 0 {
		return acp.PermissionOption{}, false
	}
	return options[i], true
}

// authWords mark a failure that a login would mend (§8.4).
var authWords = []string{
	"invalid_grant", "failed to authenticate", "authentication failed", "authentication required", "authrequired",
	"not authenticated", "unauthenticated", "not logged in", "login required", "no authentication method selected",
}

// IsAuth tells whether a failure's text speaks of a missing login.
func IsAuth(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(authWords, func(w string) bool { return strings.Contains(text, w) })
}
