package state

import "slices"

// Changes is the update of one task: its writes in the order they were made.
// The first three need no allocation. The zero value is an empty update.
type Changes struct {
	few  [3]Change
	more *[]Change // nil until the fourth
	n    int
}

// Len returns the number of writes.
func (u *Changes) Len() int { return u.n }

// At returns the i-th write, which the caller must not change.
func (u *Changes) At(i int) *Change {
	if i < len(u.few) {
		return &u.few[i]
	}
	return &(*u.more)[i-len(u.few)]
}

// All returns the writes in order, which the caller must not change.
func (u *Changes) All() []Change {
	if u.n <= len(u.few) {
		return u.few[:u.n:u.n]
	}
	return append(append(make([]Change, 0, u.n), u.few[:]...), *u.more...)
}

// Add appends a write. A Changes value that was copied must not be added to
// through both copies.
func (u *Changes) Add(c Change) {
	if u.n < len(u.few) {
		u.few[u.n] = c
	} else {
		if u.more == nil {
			u.more = new([]Change)
		}
		*u.more = append(*u.more, c)
	}
	u.n++
}

// AddAll appends all writes of other.
func (u *Changes) AddAll(other *Changes) {
	for i := range other.Len() {
		u.Add(*other.At(i))
	}
}

// Clone returns a copy that shares nothing that Add could change.
func (u *Changes) Clone() Changes {
	c := *u
	if u.more != nil {
		more := slices.Clone(*u.more)
		c.more = &more
	}
	return c
}

// ChangesOf collects the writes of one update.
func ChangesOf[S any](writes []Write[S]) (u Changes) {
	Fill(&u, writes)
	return u
}

// Overlay is what a send lays over the state: writes that are kept and passed
// on more often than they are read. One write needs no allocation. The zero
// value is empty.
type Overlay struct {
	one  [1]Change // the only one
	more *[]Change // all of them, if there are several
	n    int
}

// OverlayOf collects the writes of a send.
func OverlayOf[S any](writes []Write[S]) Overlay {
	o := Overlay{n: len(writes)}
	switch o.n {
	case 0:
	case 1:
		o.one[0] = writes[0].change
	default:
		all := make([]Change, len(writes))
		for i := range writes {
			all[i] = writes[i].change
		}
		o.more = &all
	}
	return o
}

// Overlay returns the writes of u as those of a send.
func (u *Changes) Overlay() Overlay {
	o := Overlay{n: u.n}
	if u.n == 1 {
		o.one[0] = u.few[0]
	} else if u.n > 1 {
		all := slices.Clone(u.All())
		o.more = &all
	}
	return o
}

// Changes returns the writes of o as an update.
func (o *Overlay) Changes() (u Changes) {
	for _, c := range o.All() {
		u.Add(c)
	}
	return u
}

// All returns the writes in order, which the caller must not change.
func (o *Overlay) All() []Change {
	switch o.n {
	case 0:
		return nil
	case 1:
		return o.one[:]
	}
	return *o.more
}

// Fill makes an empty update one of the given writes, in place: commands are
// made at every step, and copying one costs as much as making it.
func Fill[S any](u *Changes, writes []Write[S]) {
	u.n = len(writes)
	for i := range min(u.n, len(u.few)) {
		u.few[i] = writes[i].change
	}
	if u.n > len(u.few) {
		more := make([]Change, 0, u.n-len(u.few))
		for i := len(u.few); i < u.n; i++ {
			more = append(more, writes[i].change)
		}
		u.more = &more
	}
}
