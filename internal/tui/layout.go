package tui

// Rect is a part of the outer terminal, in cells.
type Rect struct{ X, Y, W, H int }

func (r Rect) contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// node is a pane or a split of two. It is a value that JSON can hold, since
// the layout of each project is kept.
type node struct {
	Session string  `json:"session,omitempty"` // the session's link, of a pane
	Down    bool    `json:"down,omitempty"`    // a split one above the other
	Part    float64 `json:"part,omitempty"`    // of the first one, in (0, 1)
	A       *node   `json:"a,omitempty"`
	B       *node   `json:"b,omitempty"`
}

func (n *node) leaf() bool { return n.A == nil || n.B == nil }

// leaves are the panes in reading order.
func (n *node) leaves() []*node {
	if n == nil {
		return nil
	}
	if n.leaf() {
		return []*node{n}
	}
	return append(n.A.leaves(), n.B.leaves()...)
}

// find is the pane that shows a session, nil if none does.
func (n *node) find(session string) *node {
	for _, l := range n.leaves() {
		if l.Session == session {
			return l
		}
	}
	return nil
}

// split makes two panes of one; the new one shows session.
func (n *node) split(down bool, session string) *node {
	first := *n
	*n = node{Down: down, Part: 0.5, A: &first, B: &node{Session: session}}
	return n.B
}

// without is the tree without a pane; nil when nothing is left.
func (n *node) without(gone *node) *node {
	switch {
	case n == gone:
		return nil
	case n == nil || n.leaf():
		return n
	}
	a, b := n.A.without(gone), n.B.without(gone)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n.A, n.B = a, b
	return n
}

// sound makes a tree that was read from a file usable: halves are between a
// tenth and nine tenths, no split lacks a side, and no more than most panes.
func (n *node) sound(depth int) *node {
	const deepest = 6
	switch {
	case n == nil || depth > deepest:
		return nil
	case n.A == nil && n.B == nil:
		return n
	}
	n.A, n.B = n.A.sound(depth+1), n.B.sound(depth+1)
	if n.A == nil {
		return n.B
	}
	if n.B == nil {
		return n.A
	}
	n.Session = ""
	n.Part = min(max(n.Part, 0.1), 0.9)
	return n
}

// place is where a pane goes.
type place struct {
	node *node
	rect Rect
}

// border is a line between two panes that can be dragged.
type border struct {
	node *node
	rect Rect // of the whole split
	at   Rect // of the line
}

// smallest are the least columns and rows of a pane.
const (
	leastCols = 10
	leastRows = 3
)

// arrange lays the tree out in r: panes, with a line between those of a split.
func arrange(n *node, r Rect, places []place, borders []border) ([]place, []border) {
	if n == nil {
		return places, borders
	}
	if n.leaf() {
		return append(places, place{n, r}), borders
	}
	a, b, line := r, r, r
	if n.Down {
		h := min(max(int(float64(r.H)*n.Part), leastRows), r.H-1-leastRows)
		if h < 1 { // no room for two
			return arrange(n.A, r, places, borders)
		}
		a.H, line.Y, line.H = h, r.Y+h, 1
		b.Y, b.H = r.Y+h+1, r.H-h-1
	} else {
		w := min(max(int(float64(r.W)*n.Part), leastCols), r.W-1-leastCols)
		if w < 1 {
			return arrange(n.A, r, places, borders)
		}
		a.W, line.X, line.W = w, r.X+w, 1
		b.X, b.W = r.X+w+1, r.W-w-1
	}
	borders = append(borders, border{n, r, line})
	places, borders = arrange(n.A, a, places, borders)
	return arrange(n.B, b, places, borders)
}

// direction is where the focus goes.
type direction uint8

const (
	toLeft direction = iota
	toRight
	toAbove
	toBelow
)

// neighbour is the pane next to from in a direction: of those on that side the
// one that shares most of the edge, the nearest first.
func neighbour(places []place, from *node, d direction) *node {
	at := -1
	for i, p := range places {
		if p.node == from {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	a := places[at].rect
	var best *node
	bestGap, bestShare := 1<<30, 0
	for i, p := range places {
		if i == at {
			continue
		}
		b := p.rect
		var gap, share int
		switch d {
		case toLeft:
			gap, share = a.X-(b.X+b.W), overlap(a.Y, a.H, b.Y, b.H)
		case toRight:
			gap, share = b.X-(a.X+a.W), overlap(a.Y, a.H, b.Y, b.H)
		case toAbove:
			gap, share = a.Y-(b.Y+b.H), overlap(a.X, a.W, b.X, b.W)
		case toBelow:
			gap, share = b.Y-(a.Y+a.H), overlap(a.X, a.W, b.X, b.W)
		}
		if gap < 0 || share <= 0 {
			continue
		}
		if gap < bestGap || gap == bestGap && share > bestShare {
			best, bestGap, bestShare = p.node, gap, share
		}
	}
	return best
}

func overlap(a, n, b, m int) int { return min(a+n, b+m) - max(a, b) }

// drag moves a border so that its line is at x, y.
func (b *border) drag(x, y int) {
	if b.node.Down {
		b.node.Part = share(y-b.rect.Y, b.rect.H)
	} else {
		b.node.Part = share(x-b.rect.X, b.rect.W)
	}
}

func share(at, of int) float64 {
	if of <= 0 {
		return 0.5
	}
	return min(max(float64(at)/float64(of), 0.1), 0.9)
}
