package sealed

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/graphrun/graphrun/checkpoint"
)

// copyTries is how often Copy reads a thread that does not stand still.
const copyTries = 50

// sealedLog is a log as it is stored.
type sealedLog struct {
	info    checkpoint.LogInfo
	commits []checkpoint.Commit // newest first
	pending []checkpoint.Pending
}

// Copy reads a thread and appends it, sealed for its new name, at once.
func (s *sealedStore) Copy(ctx context.Context, from, to string) error {
	if err := checkpoint.CheckThread(to); err != nil {
		return err
	}
	logs, err := s.still(ctx, from)
	if err != nil {
		return err
	}
	parts, err := s.reseal(logs, from, to)
	if err != nil {
		return err
	}
	if err := s.absent(ctx, to); err != nil {
		return err
	}
	w, err := s.store.Claim(ctx, to, checkpoint.Reject)
	if err != nil {
		return fmt.Errorf("sealed: copying to thread %q: %w", to, err)
	}
	if err = s.absent(ctx, to); err == nil {
		err = w.Append(ctx, parts)
	}
	return errors.Join(err, w.Release())
}

// absent reports a thread that exists as ErrExists.
func (s *sealedStore) absent(ctx context.Context, thread string) error {
	infos, err := s.store.Logs(ctx, checkpoint.LogQuery{Thread: thread, Limit: 1})
	if err == nil && len(infos) > 0 {
		err = fmt.Errorf("sealed: copying to thread %q: %w", thread, checkpoint.ErrExists)
	}
	return err
}

// still reads a thread until it has read the same twice: that was all there
// was at the moment in between.
func (s *sealedStore) still(ctx context.Context, thread string) ([]sealedLog, error) {
	last, err := s.read(ctx, thread)
	for range copyTries {
		if err != nil {
			return nil, err
		}
		if len(last) == 0 {
			return nil, fmt.Errorf("sealed: copying thread %q: %w", thread, checkpoint.ErrNotFound)
		}
		var next []sealedLog
		if next, err = s.read(ctx, thread); err == nil && reflect.DeepEqual(last, next) {
			return next, nil
		}
		last = next
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("sealed: copying thread %q: %w: it was another one each of %d times", thread, checkpoint.ErrBusy, copyTries)
}

// read reads all that is stored of a thread.
func (s *sealedStore) read(ctx context.Context, thread string) ([]sealedLog, error) {
	infos, err := s.store.Logs(ctx, checkpoint.LogQuery{Thread: thread})
	if err != nil {
		return nil, err
	}
	logs := make([]sealedLog, len(infos))
	for i, info := range infos {
		logs[i].info = info
		if logs[i].commits, err = s.store.List(ctx, checkpoint.Query{Log: info.Log, Bodies: true}); err != nil {
			return nil, err
		}
		loaded, err := s.store.Load(ctx, info.Log, 0)
		if err != nil {
			return nil, err
		}
		logs[i].pending = loaded.Pending
	}
	return logs, nil
}

// reseal returns the parts that make a thread of what is stored of another
// one.
func (s *sealedStore) reseal(logs []sealedLog, from, to string) ([]checkpoint.Part, error) {
	source, err := s.box(from)
	if err != nil {
		return nil, err
	}
	target, err := s.box(to)
	if err != nil {
		return nil, err
	}
	parts := make([]checkpoint.Part, len(logs))
	for i := range logs {
		if parts[i], err = logs[i].reseal(source, target); err != nil {
			return nil, fmt.Errorf("sealed: copying thread %q: namespace %q: %w", from, logs[i].info.NS, err)
		}
	}
	return parts, nil
}

// reseal returns the part that makes a log of what is stored of another one.
func (l *sealedLog) reseal(source, target *box) (checkpoint.Part, error) {
	ns := l.info.NS
	part := checkpoint.Part{NS: ns}
	for i := len(l.commits) - 1; i >= 0; i-- {
		opened, err := source.openCommits(ns, l.commits[i:i+1], true)
		if err != nil {
			return part, err
		}
		at := instantOf(opened[0].At)
		part.Commits = append(part.Commits, target.sealCommit(ns, opened[0], &at))
	}
	opened, err := source.openPending(ns, l.info.Head, l.pending)
	for _, p := range opened {
		part.Pending = append(part.Pending, target.sealPending(ns, l.info.Head, p))
	}
	return part, err
}
