package handoffs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Sink is where trace events go. An event that it was given before, with the
// same ID, may come again, behind a crash for example. It may be called by
// several goroutines at once.
type Sink interface {
	// Log takes an event; with an error it was not taken and comes again.
	Log(ctx context.Context, e TraceEvent) error
}

// LineSink writes trace events as lines of JSON, each with one call of Write.
// It may be used by several goroutines at once.
type LineSink struct {
	mu sync.Mutex
	w  io.Writer
}

// NewLineSink returns a sink that writes to w.
func NewLineSink(w io.Writer) *LineSink { return &LineSink{w: w} }

// Log writes one line. It fails if the writer does, or ctx has ended.
func (s *LineSink) Log(ctx context.Context, e TraceEvent) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("handoffs: trace event %q: %w", e.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("handoffs: trace event %q: %w", e.ID, err)
	}
	return nil
}
