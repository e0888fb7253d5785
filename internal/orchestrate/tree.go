package orchestrate

// Node is one session in a family: its id and who started it.
type Node struct{ ID, Parent string }

// Children are, for each session that has some, those among in that it has
// started, in their order.
func Children(in []Node) map[string][]string {
	var out map[string][]string
	for _, n := range in {
		if n.Parent == "" {
			continue
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[n.Parent] = append(out[n.Parent], n.ID)
	}
	return out
}

// Place is where a session stands in a tree.
type Place struct {
	Index int // among those given
	Depth int // 0 at the root
	// Last tells of each level, from the root's on, whether the one there is
	// the last of its parent's.
	Last []bool
}

// Tree puts sessions below those that started them, otherwise in their order.
// One whose parent is not among them stands at the root. Every session comes
// once, whatever the parents say.
func Tree(in []Node) []Place {
	at := make(map[string]int, len(in))
	for i, n := range in {
		at[n.ID] = i
	}
	below := map[int][]int{}
	var roots []int
	for i, n := range in {
		if p, ok := at[n.Parent]; ok && p != i {
			below[p] = append(below[p], i)
		} else {
			roots = append(roots, i)
		}
	}
	var out []Place
	seen := make([]bool, len(in))
	var walk func(level []int, above []bool)
	walk = func(level []int, above []bool) {
		for k, i := range level {
			if seen[i] {
				continue
			}
			seen[i] = true
			last := append(above[:len(above):len(above)], k == len(level)-1)
			out = append(out, Place{Index: i, Depth: len(above), Last: last})
			walk(below[i], last)
		}
	}
	walk(roots, nil)
	for i := range in { // those that name each other
		if !seen[i] {
			walk([]int{i}, nil)
		}
	}
	return out
}
