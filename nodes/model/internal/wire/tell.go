package wire

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/graphrun/graphrun/nodes/model"
)

// ErrStopped is what a reader of events returns when nobody wants more chunks.
var ErrStopped = errors.New("stopped")

// Tell sends a request, and lets read tell the events of its answer. What either
// fails with is the last of the chunks. A connection whose answer was read to its
// end may be used again.
func (p *Peer) Tell(ctx context.Context, yield func(model.Chunk, error) bool, send func() (*http.Response, error), read func(iter.Seq2[Event, error]) error) {
	res, err := send()
	if err != nil {
		yield(nil, err)
		return
	}
	switch err := read(p.Events(ctx, res.Body)); err {
	case nil:
		Finish(res.Body)
	case ErrStopped:
	default:
		yield(nil, err)
	}
	_ = res.Body.Close()
}
