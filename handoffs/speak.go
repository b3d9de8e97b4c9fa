package handoffs

import "slices"

// speak gives an agent that came by itself the turn that it says it has. What
// ended a run before is over with it.
func (w *work) speak(agent string) {
	if agent == "" {
		return
	}
	w.d.Fault, w.d.Ended = nil, false
	var rests *Frame
	for _, f := range w.frames {
		switch {
		case f.Agent != agent:
		case f.State == FrameInput:
			rests = f
		default:
			return // it has the turn, or waits
		}
	}
	if rests == nil {
		rests = w.takeFloor(agent)
	}
	rests.State = FrameRunning
	rests.Epoch++
	rests.Turns++
	w.d.countTurn()
}

// takeFloor ends what is at work and makes an agent the owner of the
// conversation.
func (w *work) takeFloor(agent string) *Frame {
	for _, f := range slices.Clone(w.frames) {
		if w.isOpen(f) && f.Caller == "" && !f.Detached {
			w.cancel(f, CodeCancelled)
		}
	}
	f := w.newFrame(agent)
	if p, ok := w.p.Registry.Get(agent); ok {
		f.Limits.Turns = p.Turns
	}
	w.frames = append(w.frames, f)
	w.setOwner(agent)
	w.setActive(agent)
	return f
}
