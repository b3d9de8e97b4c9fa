package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/graphrun/graphrun/checkpoint"
)

// noting is a store that writes down what it was given once it has it, and whose
// appends are instants.
type noting struct {
	checkpoint.Store
	stage *stage
}

func (n noting) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := n.Store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	return &notingWriter{w, n.stage}, nil
}

type notingWriter struct {
	checkpoint.Writer
	stage *stage
}

func (w *notingWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	w.stage.meet(beforeKeeping)
	err := w.Writer.Append(ctx, parts)
	if err == nil {
		err = w.stage.note(parts)
	}
	w.stage.meet(afterKeeping)
	return err
}

// note writes down what the store has.
func (s *stage) note(parts []checkpoint.Part) error {
	text, err := json.Marshal(textsOf(parts))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(s.Dir, "kept"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// textsOf are the states and results in parts.
func textsOf(parts []checkpoint.Part) (texts []string) {
	for _, p := range parts {
		for _, c := range p.Commits {
			texts = append(texts, string(c.Body))
		}
		for _, e := range p.Pending {
			texts = append(texts, string(e.Body))
		}
	}
	return texts
}
