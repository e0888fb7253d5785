package hostproto

import "slices"

// Equal tells whether two statuses say the same.
func (s Status) Equal(o Status) bool {
	return s.State == o.State && s.Since.Equal(o.Since) && s.Question == o.Question &&
		slices.Equal(s.Options, o.Options) && s.Asked == o.Asked && s.Description == o.Description &&
		s.Unconfirmed == o.Unconfirmed && s.Error == o.Error && s.Turn == o.Turn && s.Cause == o.Cause
}
