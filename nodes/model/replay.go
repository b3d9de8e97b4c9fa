package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Replayer is a model that plays what a Recorder kept: the n-th time that it is
// asked the same it plays the n-th recording, without any waits. A request that
// was not recorded is a NotFound *Error, which tells how it differs from the
// nearest recording; a file that cannot be read is an error that tells where.
// A recording that its reader left is played as far as it goes; then comes a Cut
// *Error.
//
// Use one Replayer for a model and directory. It must not be copied, and may be
// used concurrently.
type Replayer struct {
	Dir string
	// As is what the recorded model told of itself: provider and name are part of
	// the files' names, and by the profile requests become the same again.
	As Info
	// Strict refuses a request that comes more often than it was recorded. Else
	// the last recording of it is played again.
	Strict bool

	calls counter
	mu    sync.Mutex
	used  map[string]bool // names of files
}

// Info tells what the recorded model was.
func (p *Replayer) Info() Info { return p.As }

// Stream plays the recording of a request.
func (p *Replayer) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		f, err := p.find(r)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, c := range f.Chunks {
			if !yield(c, nil) {
				return
			}
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
		}
		switch {
		case f.Err != nil:
			yield(nil, f.Err)
		case f.Left:
			yield(nil, &Error{Class: Cut, Provider: p.As.Provider, Model: p.As.Name,
				Text: "the recording ends here: when it was made the stream was left"})
		}
	}
}

// find returns the recording of a request.
func (p *Replayer) find(r *Request) (*recording, error) {
	if p.Dir == "" {
		return nil, errors.New("model: the Replayer has no directory: set Dir")
	}
	key, err := keyOf(p.As, r)
	if err != nil {
		return nil, err
	}
	asked := p.calls.next(key)
	for n := asked; n > 0; n-- {
		name := nameOf(key, n)
		_, err := os.Stat(filepath.Join(p.Dir, name))
		switch {
		case err == nil:
			p.use(name)
			return loadRecording(p.Dir, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("model: recording: %w", err)
		case p.Strict:
			return nil, p.missing(r, nameOf(key, asked))
		}
	}
	return nil, p.missing(r, nameOf(key, asked))
}

func (p *Replayer) use(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[name] = true
}

// missing is the error of a request without a recording.
func (p *Replayer) missing(r *Request, name string) error {
	return &Error{Class: NotFound, Provider: p.As.Provider, Model: p.As.Name,
		Text: fmt.Sprintf("there is no recording %s: %s; record anew", filepath.Join(p.Dir, name), p.nearest(r))}
}

// Unused returns the names of the files in Dir that have not been played, sorted:
// recordings of the same provider and model, and files that cannot be read. A
// directory that cannot be read has none.
func (p *Replayer) Unused() []string {
	all, _ := names(p.Dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(all, func(name string) bool {
		f, err := loadRecording(p.Dir, name)
		return p.used[name] || err == nil && !p.recorded(f)
	})
}

// recorded tells that a recording is of the model.
func (p *Replayer) recorded(f *recording) bool {
	return f.Provider == p.As.Provider && f.Model == p.As.Name
}
