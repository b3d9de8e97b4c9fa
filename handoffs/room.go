package handoffs

// room is memory that one step of a Manager leaves to the next: what it works
// on, but nothing that its Result refers to.
type room struct {
	work   work
	own    []Frame // copies of the desk's frames
	frames []*Frame
	ready  []*Frame
	ended  []*Frame
	seen   []Frame // of the desk that view returned
	turns  map[string][]given
	given  []given // of the first turn that emitted something
	offer  Offer   // the first one
	lent   bool    // offer is in use
	turn   Turn    // that a context is made for
	text   []byte  // of context hashes
}

// takeRoom returns memory for a step.
func (m *Manager) takeRoom() *room {
	if r, ok := m.rooms.Get().(*room); ok {
		return r
	}
	return &room{turns: map[string][]given{}, given: make([]given, 0, 1)}
}

// giveRoom takes it back when the step is done.
func (m *Manager) giveRoom(w *work) {
	r := w.room
	r.work, r.offer, r.lent, r.turn = work{}, Offer{}, false, Turn{}
	r.own, r.seen, r.given = emptied(r.own), emptied(r.seen), emptied(r.given)
	r.frames, r.ready, r.ended = emptied(r.frames), emptied(r.ready), emptied(r.ended)
	clear(r.turns)
	if cap(r.text) > mostRoom {
		r.text = nil
	}
	m.rooms.Put(r)
}

// mostRoom is how much is kept of what few steps need so much of.
const mostRoom = 4 << 10

// emptied returns a list without elements that refers to nothing. Few steps
// have many of them.
func emptied[T any](list []T) []T {
	if cap(list) > 16 {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}
