package resume

import (
	"cmp"
	"time"
)

// Claim is a session's word that a conversation is the one it writes, or wrote
// last.
type Claim struct {
	Session string
	ID      string
	Since   time.Time
	Open    bool // the session is live
	// Exact marks an id that was minted, or that the agent itself named: one
	// that was only found in its store gives way to it.
	Exact bool
}

// Claims is the registry of conversations over all sessions, open and closed:
// one belongs to one session.
type Claims struct {
	by map[string][]Claim // by conversation
}

// NewClaims makes the registry of these claims. Those without an id are none.
func NewClaims(all []Claim) Claims {
	c := Claims{by: map[string][]Claim{}}
	for _, one := range all {
		if one.ID != "" {
			c.by[one.ID] = append(c.by[one.ID], one)
		}
	}
	return c
}

// Owner is the claim that counts: of live sessions the one that knows it
// exactly, else the one that was in the conversation first, since it writes it;
// of closed ones the one that was in it last.
func (c Claims) Owner(id string) (Claim, bool) {
	claims := c.by[id]
	if len(claims) == 0 {
		return Claim{}, false
	}
	best := claims[0]
	for _, one := range claims[1:] {
		if before(one, best) {
			best = one
		}
	}
	return best, true
}

func before(a, b Claim) bool {
	if a.Open != b.Open {
		return a.Open
	}
	if a.Open && a.Exact != b.Exact {
		return a.Exact
	}
	order := a.Since.Compare(b.Since)
	if !a.Open {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(a.Session, b.Session)) < 0
}

// TakenFrom reports whether a conversation belongs to another session than
// this one.
func (c Claims) TakenFrom(session, id string) (Claim, bool) {
	owner, ok := c.Owner(id)
	return owner, ok && owner.Session != session
}

// Contested are the claims of live sessions that do not count, since the
// conversation belongs to another.
func (c Claims) Contested() (out []Claim) {
	for id, claims := range c.by {
		owner, _ := c.Owner(id)
		for _, one := range claims {
			if one.Open && one.Session != owner.Session {
				out = append(out, one)
			}
		}
	}
	return out
}
