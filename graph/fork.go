package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// ForkConfig says where a fork goes. Nil means: to the same thread, if nobody
// is writing to it.
type ForkConfig struct {
	// To is a new thread for the fork: it gets the whole past of the old one.
	// "": the same thread.
	To   string
	Busy Busy
}

// Fork makes a copy of a checkpoint the newest of its thread, or of a new one;
// "" is the newest checkpoint. What was done behind the checkpoint stays in
// the history; all tasks that were due there are due again, none of them
// begun. It returns the name of the copy.
func (g *Graph[S]) Fork(ctx context.Context, thread, checkpoint string, cfg *ForkConfig) (string, error) {
	if cfg == nil {
		cfg = &ForkConfig{}
	}
	v, err := g.viewer(ctx, thread)
	if err != nil {
		return "", err
	}
	log, err := v.at(checkpoint) // before anything is copied
	if err != nil {
		return "", g.threadError(thread, err)
	}
	to := cmp.Or(cfg.To, thread)
	rows, err := v.copyTo(to, g.program, log)
	if err != nil {
		return "", g.threadError(thread, err)
	}
	var name string
	err = g.keep.edit(ctx, g.program, to, cfg.Busy, func(s *session) error {
		if err := s.fork(strconv.FormatInt(log.Last.Seq, 10), rows, false); err != nil {
			return err
		}
		name = strconv.FormatInt(s.log.Head, 10)
		return nil
	})
	return name, g.threadError(to, err)
}

// copyTo copies the thread, unless it is the same one, and returns the rows that
// the new thread begins with. They are made first: if they cannot be, nothing
// is copied.
func (v *survey) copyTo(to string, p *program, log *logState) ([]checkpoint.Row, error) {
	if to == v.thread {
		return nil, nil
	}
	rows, err := p.newcomers(log)
	if err != nil {
		return nil, err
	}
	return rows, storeError(v.keep.store.Copy(v.ctx, v.thread, to))
}

// fork makes a copy of a checkpoint the newest, and goes on from it. The copy
// holds the whole state, so that the log's commits follow each other without
// gaps. It is written with rows, at once or with what comes next.
func (s *session) fork(name string, rows []checkpoint.Row, later bool) error {
	seq, err := checkpointSeq(name)
	if err != nil {
		return err
	}
	at, err := loadLog(s.ctx, s.keep.store, checkpoint.Log{Thread: s.thread}, seq)
	if err != nil {
		return err
	}
	asked, err := s.asks()
	if err != nil {
		return err
	}
	var behind int64
	if asked {
		behind = s.log.Head
	}
	copied, err := s.whole(&at, behind)
	if err != nil {
		return err
	}
	copied.Seq, copied.Parent, copied.Base = s.log.Head+1, at.Last.Seq, s.log.Head+1
	copied.Step, copied.Source, copied.Index = at.Last.Step+1, "fork", rows
	part := checkpoint.Part{Head: s.log.Head, Commits: []checkpoint.Commit{*copied}}
	if !later {
		if err := s.writer.Append(s.ctx, []checkpoint.Part{part}); err != nil {
			return storeError(err)
		}
		return s.load()
	}
	s.queue.Hold(part)
	s.log.Loaded = &checkpoint.Loaded{Head: copied.Seq, Commits: part.Commits}
	s.log.Stand, err = journal.ReadStand(s.log.Loaded)
	return storeError(err)
}

// forkToAnswer is fork for a run that answers the question that its tasks will
// ask. A copy has begun nothing, so no question has an id yet.
func (s *session) forkToAnswer(name string, a *Answers) error {
	seq, err := checkpointSeq(name)
	if err != nil {
		return err
	}
	at, err := loadLog(s.ctx, s.keep.store, checkpoint.Log{Thread: s.thread}, seq)
	switch {
	case err != nil:
		return err
	case a.how == answeredByID:
		return fmt.Errorf("%w: behind the fork of a checkpoint questions have other ids; go on from it first, or give a plain answer", ErrAnswer)
	}
	if asked, err := s.askedBehind(&at); err != nil || !asked {
		if err == nil {
			err = fmt.Errorf("%w: behind checkpoint %s nothing was asked", ErrAnswer, name)
		}
		return err
	}
	value, err := encodeValue(a.plain)
	if err != nil {
		return fmt.Errorf("%w: it cannot be stored: %w", ErrAnswer, err)
	}
	s.floating = &value
	return s.fork(name, nil, false)
}

// whole makes a commit like that of a loaded log, with the whole state. asked is
// the checkpoint before it if that has asked.
func (s *session) whole(at *logState, asked int64) (*checkpoint.Commit, error) {
	st, err := s.prog.rebuild(at)
	if err != nil {
		return nil, err
	}
	m := *at.Meta
	m.Asked = asked
	if m.Graph, m.Version = at.Told, s.prog.layout.Version(); m.Shape == nil {
		shape, err := s.oldShape(at.Last.Seq)
		if err != nil {
			return nil, err
		}
		m.Shape = shape.encode()
	}
	c, err := journal.Whole(at.Last, &m, st, s.prog.layout)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStore, err)
	}
	return c, nil
}

// asks reports whether tasks behind the newest checkpoint have asked.
func (s *session) asks() (bool, error) {
	if s.log.Tasks.Asked {
		return true, nil
	}
	due, err := s.survey().of(s.prog, "", &s.log)
	return slices.ContainsFunc(due, func(d dueTask) bool { return d.asked }), err
}

// askedBehind reports whether the tasks behind a checkpoint ask, or did when
// they ran.
func (s *session) askedBehind(at *logState) (bool, error) {
	if at.Last.Seq == s.log.Head {
		return s.asks()
	}
	for before := s.log.Head + 1; ; {
		page, err := s.keep.store.List(s.ctx, checkpoint.Query{Log: checkpoint.Log{Thread: s.thread}, Before: before, Limit: historyPage})
		if err != nil {
			return false, storeError(err)
		}
		for i := range page {
			if page[i].Seq <= at.Last.Seq {
				return false, nil
			}
			if m, err := journal.ReadMeta(&page[i]); err != nil || m.Asked == at.Last.Seq {
				return err == nil, storeError(err)
			}
		}
		if len(page) == 0 {
			return false, nil
		}
		before = page[len(page)-1].Seq
	}
}
