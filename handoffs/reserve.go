//go:build wip

package handoffs

import "slices"

// reserve lets the budget of a spawn's branch count for the branches behind
// it, before any of them has begun.
func (w *work) reserve(_ *Frame, o *Offer) {
	o.Frame.ID = "reserved"
	o.Frame.State = FrameCalling
	w.frames = append(w.frames, &o.Frame)
}

// unreserve ends what reserve began.
func (w *work) unreserve(_ *Frame, offers []*Offer) {
	w.frames = slices.DeleteFunc(w.frames, func(f *Frame) bool { return f.ID == "reserved" })
	for _, o := range offers {
		o.Frame.ID, o.Frame.State = "", ""
	}
}
