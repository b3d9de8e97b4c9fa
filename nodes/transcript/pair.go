package transcript

import "github.com/graphrun/graphrun/state"

// place names a call by its message and its place there.
type place struct{ message, call int }

// pairing is where the search for results' calls stands.
type pairing struct {
	open     map[string][]place // calls without a result, by id, the oldest first
	turn     map[string]int     // in which human's turn an id was used last
	answered map[string]bool    // ids that had a result
	now      int                // the number of human messages so far
}

// pair finds for each result the call that it answers. A result without one is
// left out.
func (w *work) pair() {
	s := pairing{open: map[string][]place{}, turn: map[string]int{}, answered: map[string]bool{}}
	for i, m := range w.msgs {
		switch m.Role {
		case state.RoleHuman:
			s.now++
		case state.RoleAI:
			for k, c := range m.ToolCalls {
				s.call(c.ID, place{i, k})
			}
		case state.RoleTool:
			w.answer(&s, i)
		}
	}
}

// call notes a call. An id that is used again in another turn is another call,
// and what the old one left open stays unanswered.
func (s *pairing) call(id string, at place) {
	if s.turn[id] != s.now {
		s.open[id] = nil
	}
	s.turn[id] = s.now
	s.open[id] = append(s.open[id], at)
}

// answer gives message i, a result, to its call.
func (w *work) answer(s *pairing, i int) {
	id := w.msgs[i].ToolCallID
	open := s.open[id]
	switch {
	case len(open) > 0:
		s.open[id], s.answered[id] = open[1:], true
		w.result[i] = open[0].call
		w.replies[open[0].message] = append(w.replies[open[0].message], i)
	case s.answered[id]:
		w.gone[i] = true
		w.tell(DuplicateResult, i, id)
	default:
		w.gone[i] = true
		w.tell(OrphanResult, i, id)
	}
}
