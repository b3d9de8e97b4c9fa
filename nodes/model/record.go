package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
)

// Recorder is a model that asks another one and keeps each call in a file, which
// a Replayer plays. A file is named <key>-<n>.json: the key is made of what is
// asked and of provider and name of the model, and n says that it is the n-th
// time that this Recorder is asked the same, from 1. So a new Recorder replaces
// the files of an older one, call by call; files of calls that do not come any
// more stay, and Replayer.Unused tells them. Use one Recorder for a model and
// directory: a second one would begin at 1 too.
//
// A file is JSON for people and diffs: the request in its canonical form, the
// chunks in their order, and the error if there was one; no times, and no keys of
// providers. Chunks are kept to the byte; of an error its text and the *Error
// are, without what is behind that. What was asked and said is kept as it was,
// so only the owner may read the file. It is written as a whole before the
// stream's End or error is told. A stream that was left, or whose context
// ended, is kept as far as it came.
//
// Outside a Retry a Recorder keeps one file of all attempts, with their Again
// chunks, and a replay does not wait. Inside it keeps one file of each attempt,
// and a replay, inside a Retry again, waits between them.
//
// A Recorder must not be copied. It may be used concurrently.
type Recorder struct {
	Model Model
	Dir   string // made if it is missing

	calls  counter
	mu     sync.Mutex
	failed error // of writing a call that was left, when nobody could be told
}

// Info tells what the model is that is asked.
func (k *Recorder) Info() Info { return InfoOf(k.Model) }

// Stream asks the model and keeps the call. A call that cannot be kept is an
// error, also if the model has answered.
func (k *Recorder) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		name, err := k.begin(r)
		if err != nil {
			yield(nil, err)
			return
		}
		i := k.Info()
		k.tape(ctx, &recording{Provider: i.Provider, Model: i.Name, Request: r}, name, yield)
	}
}

// begin returns the name of the call's file. What can fail fails before the
// model is asked.
func (k *Recorder) begin(r *Request) (string, error) {
	if k.Dir == "" {
		return "", errors.New("model: the Recorder has no directory: set Dir")
	}
	k.mu.Lock()
	failed := k.failed
	k.failed = nil
	k.mu.Unlock()
	if failed != nil {
		return "", fmt.Errorf("an earlier call: %w", failed)
	}
	if err := os.MkdirAll(k.Dir, 0o777); err != nil {
		return "", fmt.Errorf("model: directory of recordings: %w", err)
	}
	key, err := keyOf(k.Info(), r)
	if err != nil {
		return "", err
	}
	return nameOf(key, k.calls.next(key)), nil
}

// tape reads the stream. The file is written when the answer is whole, and again
// if the stream goes on behind it.
func (k *Recorder) tape(ctx context.Context, f *recording, name string, yield func(Chunk, error) bool) {
	whole := false
	for c, err := range ask(ctx, k.Model, f.Request) {
		whole, err = f.add(ctx, c, err, whole)
		if whole {
			if unkept := f.save(k.Dir, name); unkept != nil {
				yield(nil, errors.Join(err, unkept))
				return
			}
		}
		if !yield(c, err) || err != nil {
			k.leave(f, name, whole)
			return
		}
	}
	if !whole {
		if err := f.save(k.Dir, name); err != nil {
			yield(nil, err)
		}
	}
}

// add keeps what the stream told, and says whether the answer is whole. A chunk
// that is of no known type is an error.
func (f *recording) add(ctx context.Context, c Chunk, err error, whole bool) (bool, error) {
	if _, ok := wireOf(c); !ok && err == nil {
		err = &Error{Class: Malformed, Text: fmt.Sprintf("the stream has a chunk of the type %T", c)}
	}
	switch {
	case err == nil:
		f.Chunks = append(f.Chunks, c)
		_, end := c.(End)
		return whole || end, nil
	case ctx.Err() != nil:
		f.Left = true
	default:
		f.Err = err
	}
	return true, err
}

// leave keeps a call that was left before its end.
func (k *Recorder) leave(f *recording, name string, whole bool) {
	if whole {
		return
	}
	f.Left = true
	if err := f.save(k.Dir, name); err != nil {
		k.mu.Lock()
		k.failed = err
		k.mu.Unlock()
	}
}
