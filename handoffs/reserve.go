package handoffs

// reserve lets a spawn's branch count for the branches behind it, before any
// of them has begun.
func (w *work) reserve(o *Offer) { w.d.Queue = push(w.d.Queue, *o) }

// unreserve ends what reserve began.
func (w *work) unreserve(n int) { w.d.Queue = w.d.Queue[:len(w.d.Queue)-n] }
