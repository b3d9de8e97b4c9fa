package graph

import (
	"context"
	"iter"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/state"
)

// HistoryConfig says which part of a history is wanted. Nil means all of it.
type HistoryConfig struct {
	Before string // only checkpoints made before this one; "": from the newest on
	Limit  int    // at most so many; 0 or less: all
}

// historyPage is how many checkpoints are read at once.
const historyPage = 64

// History yields the checkpoints of a thread, newest first, all of them in the
// order in which they were made: those of branches that were left as well. Next
// holds all tasks of the step that followed; Tasks is empty. The states of
// checkpoints that are not asked for are not decoded, save those that lead to
// the oldest one wanted.
func (g *Graph[S]) History(ctx context.Context, thread string, cfg *HistoryConfig) iter.Seq2[*Snapshot[S], error] {
	if cfg == nil {
		cfg = &HistoryConfig{}
	}
	return func(yield func(*Snapshot[S], error) bool) {
		v, err := g.viewer(ctx, thread)
		var before int64
		if err == nil {
			before, err = checkpointSeq(cfg.Before)
		}
		for left := cfg.Limit; err == nil; {
			var page []*Snapshot[S]
			size := historyPage
			if cfg.Limit > 0 {
				size = min(size, left)
			}
			page, before, err = historyOf(g, v, before, size)
			for _, s := range page {
				if !yield(s, nil) {
					return
				}
			}
			if left -= len(page); len(page) < size || cfg.Limit > 0 && left == 0 {
				break
			}
		}
		if err != nil {
			yield(nil, g.threadError(thread, err))
		}
	}
}

// historyOf reads one page, and tells before which checkpoint the next begins.
func historyOf[S any](g *Graph[S], v *survey, before int64, size int) ([]*Snapshot[S], int64, error) {
	log := checkpoint.Log{Thread: v.thread}
	rows, err := v.keep.store.List(v.ctx, checkpoint.Query{Log: log, Before: before, Limit: size, Bodies: true})
	if err != nil {
		return nil, 0, storeError(err)
	}
	if len(rows) == 0 {
		if before == 0 {
			_, err = v.at("") // is there such a thread at all?
		}
		return nil, 0, err
	}
	oldest := rows[len(rows)-1].Seq
	slices.Reverse(rows)
	st := g.program.layout.NewStore(g.program.zero)
	out := make([]*Snapshot[S], len(rows))
	for i := range rows {
		m, err := journal.ReadMeta(&rows[i])
		if err == nil {
			err = v.forward(st, g.program.layout, &rows[i], i == 0, m)
		}
		if err != nil {
			return nil, 0, storeError(err)
		}
		out[len(rows)-1-i] = snapshotOf[S](v, g.program, st, &rows[i], m)
	}
	if before == 0 && len(out[0].Next) > 0 {
		out[0].Interrupts, err = v.openBehind(g.program, rows[len(rows)-1].Seq)
	}
	return out, oldest, err
}

// forward brings the state to a commit: from the one before, if it rests on
// it, else from what the store has.
func (v *survey) forward(st *state.Store, lay *state.Layout, c *checkpoint.Commit, first bool, m *journal.Meta) error {
	if c.Base == c.Seq && m.Version == lay.Version() || c.Base != c.Seq && !first && lay.Version() == 0 {
		return journal.Replay(st, c)
	}
	log, err := loadLog(v.ctx, v.keep.store, checkpoint.Log{Thread: v.thread}, c.Seq)
	if err != nil {
		return err
	}
	return journal.Rebuild(st, lay, log.Commits, log.Version, false)
}

// openBehind returns the open questions behind a checkpoint if it still is the
// newest.
func (v *survey) openBehind(p *program, newest int64) ([]Question, error) {
	log, err := loadLog(v.ctx, v.keep.store, checkpoint.Log{Thread: v.thread}, 0)
	if err != nil || log.Head != newest {
		return nil, err
	}
	due, err := v.of(p, "", &log)
	_, asked := outstanding(due)
	return asked, err
}
