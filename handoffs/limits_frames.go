package handoffs

import "iter"

// all yields the open frames of a desk, and those that were set aside.
func (d *Desk) all() iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		for i := range d.Frames {
			if !yield(&d.Frames[i]) {
				return
			}
		}
		for i := range d.Parked {
			for j := range d.Parked[i].Frames {
				if !yield(&d.Parked[i].Frames[j]) {
					return
				}
			}
		}
	}
}

// open returns a frame by its id, also one that was set aside; nil: there is
// none.
func (d *Desk) open(id string) *Frame {
	if id == "" {
		return nil
	}
	for f := range d.all() {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// upward yields a frame, the one that waits for it, and so on. It ends also on
// a desk whose frames wait for one another in a circle.
func (d *Desk) upward(f *Frame) iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		most := len(d.Frames) + 1
		for i := range d.Parked {
			most += len(d.Parked[i].Frames)
		}
		for at := f; at != nil && most > 0 && yield(at); most-- {
			at = d.open(at.Caller)
		}
	}
}
