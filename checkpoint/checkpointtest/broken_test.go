package checkpointtest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// broken is a store with one fault: a method of its own in place of the
// store's. Those that are nil work.
type broken struct {
	checkpoint.Store
	claim  func(s checkpoint.Store, thread string, busy checkpoint.Busy) (checkpoint.Writer, error)
	load   func(l *checkpoint.Loaded, at int64, err error) (*checkpoint.Loaded, error)
	list   func(s checkpoint.Store, q checkpoint.Query) ([]checkpoint.Commit, error)
	logs   func(s checkpoint.Store, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error)
	copied func(s checkpoint.Store, from, to string) error
	del    func(s checkpoint.Store, thread string) error
	append func(s checkpoint.Store, thread string, w checkpoint.Writer, parts []checkpoint.Part) error
	prune  func(s checkpoint.Store, thread string, w checkpoint.Writer, ns string, whole *checkpoint.Commit) error
	free   func(w checkpoint.Writer) error
	name   func(l checkpoint.Log) checkpoint.Log // what a log's name is mixed up with
	deaf   bool                                  // to contexts
}

func (b *broken) log(l checkpoint.Log) checkpoint.Log {
	if b.name == nil {
		return l
	}
	return b.name(l)
}

func (b *broken) ctx(ctx context.Context) context.Context {
	if b.deaf {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

func (b *broken) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (w checkpoint.Writer, err error) {
	thread = b.log(checkpoint.Log{Thread: thread}).Thread
	if b.claim != nil {
		w, err = b.claim(b.Store, thread, busy)
	} else {
		w, err = b.Store.Claim(b.ctx(ctx), thread, busy)
	}
	if err != nil {
		return nil, err
	}
	return &brokenWriter{w, b, thread}, nil
}

func (b *broken) Load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	l, err := b.Store.Load(b.ctx(ctx), b.log(log), at)
	if b.load != nil {
		return b.load(l, at, err)
	}
	return l, err
}

func (b *broken) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Commit, error) {
	if q.Log = b.log(q.Log); b.list != nil {
		return b.list(b.Store, q)
	}
	return b.Store.List(b.ctx(ctx), q)
}

func (b *broken) Logs(ctx context.Context, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
	if b.logs != nil {
		return b.logs(b.Store, q)
	}
	return b.Store.Logs(b.ctx(ctx), q)
}

func (b *broken) Copy(ctx context.Context, from, to string) error {
	if b.copied != nil {
		return b.copied(b.Store, from, to)
	}
	return b.Store.Copy(b.ctx(ctx), from, to)
}

func (b *broken) Delete(ctx context.Context, thread string) error {
	if b.del != nil {
		return b.del(b.Store, thread)
	}
	return b.Store.Delete(b.ctx(ctx), thread)
}

type brokenWriter struct {
	checkpoint.Writer
	b      *broken
	thread string
}

func (w *brokenWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	named := slices.Clone(parts)
	for i := range named {
		named[i].NS = w.b.log(checkpoint.Log{Thread: w.thread, NS: parts[i].NS}).NS
	}
	if w.b.append != nil {
		return w.b.append(w.b.Store, w.thread, w.Writer, named)
	}
	return w.Writer.Append(w.b.ctx(ctx), named)
}

func (w *brokenWriter) Prune(ctx context.Context, ns string, whole *checkpoint.Commit) error {
	if w.b.prune != nil {
		return w.b.prune(w.b.Store, w.thread, w.Writer, ns, whole)
	}
	return w.Writer.Prune(w.b.ctx(ctx), ns, whole)
}

func (w *brokenWriter) Release() error {
	if w.b.free != nil {
		return w.b.free(w.Writer)
	}
	return w.Writer.Release()
}

// piecemeal writes part by part.
func piecemeal(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
	for _, p := range parts {
		if err := w.Append(context.Background(), []checkpoint.Part{p}); err != nil {
			return err
		}
	}
	return nil
}

// slowly writes part by part, with time to look in between.
func slowly(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
	for _, p := range parts {
		if err := w.Append(context.Background(), []checkpoint.Part{p}); err != nil {
			return err
		}
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

// overwrite appends behind whatever the head is.
func overwrite(s checkpoint.Store, thread string, w checkpoint.Writer, parts []checkpoint.Part) error {
	for {
		err := w.Append(context.Background(), parts)
		if !errors.Is(err, checkpoint.ErrConflict) {
			return err
		}
		for i := range parts {
			l, err := s.Load(context.Background(), checkpoint.Log{Thread: thread, NS: parts[i].NS}, 0)
			if err != nil {
				return err
			}
			parts[i].Head, parts[i].Commits = l.Head, slices.Clone(parts[i].Commits)
			for k := range parts[i].Commits {
				parts[i].Commits[k].Seq = l.Head + 1 + int64(k)
				parts[i].Commits[k].Base = parts[i].Commits[k].Seq
			}
		}
	}
}

// lingering keeps what is pending when the head moves.
func lingering(s checkpoint.Store, thread string, w checkpoint.Writer, parts []checkpoint.Part) error {
	for i := range parts {
		l, err := s.Load(context.Background(), checkpoint.Log{Thread: thread, NS: parts[i].NS}, 0)
		if err == nil && len(parts[i].Commits) > 0 {
			parts[i].Pending = append(l.Pending, parts[i].Pending...)
		}
	}
	return w.Append(context.Background(), parts)
}

// undead leaves the namespaces of removed commits.
func undead(s checkpoint.Store, thread string, w checkpoint.Writer, ns string, whole *checkpoint.Commit) error {
	ctx := context.Background()
	infos, _ := s.Logs(ctx, checkpoint.LogQuery{Thread: thread})
	var parts []checkpoint.Part
	for _, info := range infos {
		if l, err := s.Load(ctx, info.Log, 0); err == nil {
			parts = append(parts, checkpoint.Part{NS: info.NS, Commits: l.Commits, Pending: l.Pending})
		}
	}
	if err := w.Prune(ctx, ns, whole); err != nil {
		return err
	}
	for _, p := range parts {
		_ = w.Append(ctx, []checkpoint.Part{p}) // those that are still there conflict
	}
	return nil
}

// shared lets all who claim a thread write at once.
func shared() *broken {
	var mu sync.Mutex
	writers := map[string]checkpoint.Writer{}
	return &broken{
		claim: func(s checkpoint.Store, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
			mu.Lock()
			defer mu.Unlock()
			if writers[thread] != nil {
				return writers[thread], nil
			}
			w, err := s.Claim(context.Background(), thread, busy)
			writers[thread] = w
			return w, err
		},
		free: func(checkpoint.Writer) error { return nil },
	}
}

// scrambling changes what a reader got at the next append.
func scrambling() *broken {
	var mu sync.Mutex
	var given *checkpoint.Loaded
	return &broken{
		load: func(l *checkpoint.Loaded, _ int64, err error) (*checkpoint.Loaded, error) {
			mu.Lock()
			defer mu.Unlock()
			given = l
			return l, err
		},
		append: func(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
			mu.Lock()
			defer mu.Unlock()
			if given != nil && len(given.Commits) > 0 {
				given.Commits[0].Meta = []byte("scrambled")
			}
			return w.Append(context.Background(), parts)
		},
	}
}

// fromLoad changes what Load answers.
func fromLoad(f func(l *checkpoint.Loaded)) *broken {
	return &broken{load: func(l *checkpoint.Loaded, _ int64, err error) (*checkpoint.Loaded, error) {
		if err == nil {
			f(l)
		}
		return l, err
	}}
}

// toAppend changes what is appended.
func toAppend(f func(p *checkpoint.Part)) *broken {
	return &broken{append: func(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
		for i := range parts {
			f(&parts[i])
		}
		return w.Append(context.Background(), parts)
	}}
}

// named mixes up the names of logs.
func named(f func(l checkpoint.Log) checkpoint.Log) *broken { return &broken{name: f} }

// toList changes what is asked of List.
func toList(f func(q *checkpoint.Query)) *broken {
	return &broken{list: func(s checkpoint.Store, q checkpoint.Query) ([]checkpoint.Commit, error) {
		f(&q)
		return s.List(context.Background(), q)
	}}
}

// toLogs changes what is asked of Logs.
func toLogs(f func(q *checkpoint.LogQuery)) *broken {
	return &broken{logs: func(s checkpoint.Store, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
		f(&q)
		return s.Logs(context.Background(), q)
	}}
}

func firstPart(l checkpoint.Log) checkpoint.Log {
	l.NS, _, _ = strings.Cut(l.NS, "/")
	return l
}

func cut(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
