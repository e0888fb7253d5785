package vt

// interner gives equal values one number. Numbers start at 0 and stay while
// the value is alive; sweep frees those that are not.
type interner[K comparable] struct {
	entries []K
	index   []uint32 // open addressing: number+1, 0 empty
	free    []uint32
	live    int
	due     int // collect once so many are live
}

// minCollect is the number of entries below which no collection is worth it.
const minCollect = 512

func (t *interner[K]) full() bool { return t.live >= max(t.due, minCollect) }

// find looks up k, whose hash is h.
func (t *interner[K]) find(k K, h uint32) (uint32, bool) {
	if len(t.index) == 0 {
		return 0, false
	}
	mask := uint32(len(t.index) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		n := t.index[i]
		if n == 0 {
			return 0, false
		}
		if t.entries[n-1] == k {
			return n - 1, true
		}
	}
}

// add stores k, which is not there yet.
func (t *interner[K]) add(k K, hash func(K) uint32) uint32 {
	if (t.live+1)*2 > len(t.index) {
		t.rehash(max(len(t.index)*2, 16), hash)
	}
	var n uint32
	if last := len(t.free) - 1; last >= 0 {
		n = t.free[last]
		t.free = t.free[:last]
		t.entries[n] = k
	} else {
		n = uint32(len(t.entries))
		t.entries = append(t.entries, k)
	}
	t.live++
	t.place(n, hash(k))
	return n
}

func (t *interner[K]) place(n, h uint32) {
	mask := uint32(len(t.index) - 1)
	i := h & mask
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	t.index[i] = n + 1
}

// rehash makes an index of the given size for the entries that are not free.
func (t *interner[K]) rehash(size int, hash func(K) uint32) {
	if len(t.index) == size {
		clear(t.index)
	} else {
		t.index = make([]uint32, size)
	}
	dead := newBitmap(len(t.entries))
	for _, n := range t.free {
		dead.set(n)
	}
	for n := range t.entries {
		if !dead.has(uint32(n)) {
			t.place(uint32(n), hash(t.entries[n]))
		}
	}
}

// sweep frees every entry that is not marked and shrinks what has become too
// large.
func (t *interner[K]) sweep(marked bitmap, hash func(K) uint32) {
	var zero K
	last := 0
	for n := range t.entries {
		if marked.has(uint32(n)) {
			last = n + 1
		} else {
			t.entries[n] = zero
		}
	}
	t.entries = t.entries[:last]
	if cap(t.entries) > 4*last+minCollect {
		t.entries = append(make([]K, 0, last+last/4), t.entries...)
	}
	t.free = t.free[:0]
	t.live = 0
	for n := last - 1; n >= 0; n-- {
		if marked.has(uint32(n)) {
			t.live++
		} else {
			t.free = append(t.free, uint32(n))
		}
	}
	size := 16
	for size < t.live*4 {
		size *= 2
	}
	if len(t.index) <= 4*size { // large enough, and not far too large
		size = max(size, len(t.index))
	}
	t.rehash(size, hash)
	t.due = t.live * 2
}

// bitmap is a set of numbers.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, n/64+1) }

func (b bitmap) set(n uint32)      { b[n/64] |= 1 << (n % 64) }
func (b bitmap) has(n uint32) bool { return b[n/64]&(1<<(n%64)) != 0 }

// styleEntry is what a cell's style number stands for.
type styleEntry struct {
	style Style
	link  uint32 // number in the link table; 0 none
}

// styleTable numbers styles. Number 0 is the default style without a link.
type styleTable struct {
	interner[styleEntry]
	guards bool // a guarded style was ever made
}

func (t *styleTable) init() { t.add(styleEntry{}, hashStyle) }

func (t *styleTable) at(id uint32) *styleEntry { return &t.entries[id] }

func hashStyle(e styleEntry) uint32 {
	s := &e.style
	h := uint64(s.FG)*0x9e3779b97f4a7c15 ^ uint64(s.BG)*0xc2b2ae3d27d4eb4f ^
		(uint64(s.UnderlineColor)|uint64(e.link)<<32)*0x165667b19e3779f9 ^
		(uint64(s.Attrs)|uint64(s.Underline)<<16)*0xd6e8feb86659fd93
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}

// styleID is the number of a style with a link.
func (t *Terminal) styleID(s Style, link uint32) uint32 {
	e := styleEntry{s, link}
	if e == (styleEntry{}) {
		return 0
	}
	if id, ok := t.styles.find(e, hashStyle(e)); ok {
		return id
	}
	if s.Attrs&AttrGuarded != 0 {
		t.styles.guards = true
	}
	t.gcDue = t.gcDue || t.styles.full()
	return t.styles.add(e, hashStyle)
}

// pen is the number of the style that characters are written in.
func (t *Terminal) pen() uint32 {
	if t.penStale {
		t.penID = t.styleID(t.cur.pen, t.link)
		t.penStale = false
	}
	return t.penID
}

// clusterTable numbers grapheme clusters of more than one code point.
type clusterTable struct{ interner[string] }

func hashString(s string) uint32 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return uint32(h ^ h>>32)
}

// findBytes is find without a string to be made first.
func (t *clusterTable) findBytes(b []byte) (uint32, bool) {
	if len(t.index) == 0 {
		return 0, false
	}
	h := uint64(0xcbf29ce484222325)
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	mask := uint32(len(t.index) - 1)
	for i := uint32(h^h>>32) & mask; ; i = (i + 1) & mask {
		n := t.index[i]
		if n == 0 {
			return 0, false
		}
		if t.entries[n-1] == string(b) {
			return n - 1, true
		}
	}
}

// clusterID is the number of a cluster.
func (t *Terminal) clusterID(b []byte) uint32 {
	if id, ok := t.clusters.findBytes(b); ok {
		return id
	}
	t.gcDue = t.gcDue || t.clusters.full()
	return t.clusters.add(string(b), hashString)
}

// hyperlink is an OSC 8 link.
type hyperlink struct{ id, uri string }

// linkTable numbers hyperlinks. Number 0 is none.
type linkTable struct {
	interner[hyperlink]
	bytes   int // of all addresses and names
	refused int // links for which there was no room at first
}

// room reports whether l may be added.
func (t *linkTable) room(l hyperlink) bool { return t.bytes+len(l.id)+len(l.uri) <= maxLinks }

func hashLink(l hyperlink) uint32 { return hashString(l.uri)*31 + hashString(l.id) }

// linkID is the number of a link, 0 if all links together are too long.
func (t *Terminal) linkID(l hyperlink) uint32 {
	if l.uri == "" {
		return 0
	}
	if len(t.links.entries) == 0 {
		t.links.add(hyperlink{}, hashLink)
	}
	if id, ok := t.links.find(l, hashLink(l)); ok {
		return id
	}
	if !t.links.room(l) {
		return 0
	}
	t.gcDue = t.gcDue || t.links.full()
	t.links.bytes += len(l.id) + len(l.uri)
	return t.links.add(l, hashLink)
}

func (t *Terminal) linkAt(id uint32) hyperlink {
	if id == 0 {
		return hyperlink{}
	}
	return t.links.entries[id]
}

// collect frees the styles, clusters and links that no cell uses any more.
// It runs between control functions only, when no number is held elsewhere
// than in cells and in the fields named here.
func (t *Terminal) collect() {
	t.gcDue = false
	t.joins = joinCache{} // it would keep clusters that are gone
	styles := newBitmap(len(t.styles.entries))
	clusters := newBitmap(len(t.clusters.entries))
	links := newBitmap(len(t.links.entries))
	styles.set(0)
	links.set(0)
	if !t.penStale {
		styles.set(t.penID)
	}
	links.set(t.link)
	if t.last&cellCluster != 0 {
		clusters.set(t.last & cellRuneMask)
	}
	for i := range t.screens {
		prev := uint32(0)
		for _, c := range t.screens[i].cells {
			if id := c.style(); id != prev {
				styles.set(id)
				prev = id
			}
			if c&cellCluster != 0 {
				clusters.set(uint32(c) & cellRuneMask)
			}
		}
	}
	guards := false
	for id := range t.styles.entries {
		if styles.has(uint32(id)) {
			e := &t.styles.entries[id]
			links.set(e.link)
			guards = guards || e.style.Attrs&AttrGuarded != 0
		}
	}
	t.styles.sweep(styles, hashStyle)
	t.styles.guards = guards
	t.clusters.sweep(clusters, hashString)
	if len(t.links.entries) > 0 {
		t.links.sweep(links, hashLink)
		t.links.bytes = 0
		for _, l := range t.links.entries {
			t.links.bytes += len(l.id) + len(l.uri)
		}
	}
}

// memory is the bytes that the table holds, what strings point to left out.
func (t *interner[K]) memory(size int) int {
	return cap(t.entries)*size + cap(t.index)*4 + cap(t.free)*4
}
