package orchestrate

import "fmt"

// Origin is where a session comes from: the session that asked for it, the
// first of that line, and how far below that one it is. The zero Origin is a
// session that was started from outside.
type Origin struct {
	Parent string
	Root   string
	Depth  int
}

// Below is the origin of what the session with this id, which has itself the
// origin of, starts.
func Below(id string, of Origin) Origin {
	root := of.Root
	if root == "" {
		root = id
	}
	return Origin{Parent: id, Root: root, Depth: of.Depth + 1}
}

// Limits keep sessions that start sessions from doing so without end.
type Limits struct {
	// Depth is how far below the first session one may be: 0 lets no session
	// start another.
	Depth int
	// Descendants is how many live sessions there may be below the first one,
	// whoever of them has started them.
	Descendants int
}

// The settings that hold the limits, for messages.
const (
	DepthSetting       = "maxDepth"
	DescendantsSetting = "maxDescendants"
)

// Check refuses a session of this origin where live others are below the same
// root. It is start_failed: the one code of the contract that says that a
// session was asked for properly and does not exist.
func (l Limits) Check(o Origin, live int) error {
	switch {
	case o.Parent == "":
		return nil
	case o.Depth > l.Depth:
		return Refuse(StartFailed, "this session is %d below %s, the first of its line, and may start no further ones (the limit is %d); "+
			"do the work here, or ask the user to raise it: termio config set %s %d", o.Depth-1, Link(o.Root), l.Depth, DepthSetting, o.Depth)
	case live >= l.Descendants:
		return Refuse(StartFailed, "%s below %s already (the limit is %d); close those that are done (`termio sessions close --done`), "+
			"or ask the user to raise it: termio config set %s <number>", countLive(live), Link(o.Root), l.Descendants, DescendantsSetting)
	}
	return nil
}

func countLive(n int) string {
	if n == 1 {
		return "1 session is live"
	}
	return fmt.Sprintf("%d sessions are live", n)
}
