package graph

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// ThreadInfo describes a thread of a store.
type ThreadInfo struct {
	Thread      string    `json:"thread"`
	Checkpoint  string    `json:"checkpoint"` // the newest
	Checkpoints int       `json:"checkpoints"`
	Step        int       `json:"step"`
	Next        []string  `json:"next"` // the nodes of the tasks behind it, those that are done included
	At          time.Time `json:"at"`
}

// Threads yields the threads of a store, by name, whatever graph they are of.
func Threads(ctx context.Context, store checkpoint.Store) iter.Seq2[ThreadInfo, error] {
	return func(yield func(ThreadInfo, error) bool) {
		const page = 100
		for after := (checkpoint.Log{}); ; {
			logs, err := store.Logs(ctx, checkpoint.LogQuery{After: after, Limit: page})
			if err != nil {
				yield(ThreadInfo{}, fmt.Errorf("graph: %w", storeError(err)))
				return
			}
			for i := range logs {
				info, err := threadInfo(&logs[i])
				if !yield(info, err) || err != nil {
					return
				}
				after = logs[i].Log
			}
			if len(logs) < page {
				return
			}
		}
	}
}

func threadInfo(l *checkpoint.LogInfo) (ThreadInfo, error) {
	m, err := journal.ReadMeta(&checkpoint.Commit{Seq: l.Head, Meta: l.Meta})
	if err != nil {
		return ThreadInfo{}, &Error{Thread: l.Thread, Err: storeError(err)}
	}
	info := ThreadInfo{
		Thread: l.Thread, Checkpoint: strconv.FormatInt(l.Head, 10), Checkpoints: l.Commits,
		Step: l.Step, Next: []string{}, At: l.At,
	}
	for _, t := range m.Due.Tasks {
		info.Next = append(info.Next, t.Node)
	}
	return info, nil
}

// Prune removes the oldest checkpoints of a thread, with the runs of subgraphs
// behind them, so that at most keep are left; keep is at least 1. What is left
// can be read and forked as before. It returns how many are gone.
func (g *Graph[S]) Prune(ctx context.Context, thread string, keep int, busy Busy) (int, error) {
	n, err := g.program.prune(ctx, &g.keep, thread, max(keep, 1), busy)
	return n, g.threadError(thread, err)
}

func (p *program) prune(ctx context.Context, k *keeping, thread string, keep int, busy Busy) (n int, err error) {
	err = k.edit(ctx, p, thread, busy, func(s *session) error {
		n, err = s.prune(ctx, keep)
		return err
	})
	return n, err
}

// prune keeps the newest checkpoints, and tells how many are gone.
func (s *session) prune(ctx context.Context, keep int) (int, error) {
	log := checkpoint.Log{Thread: s.thread}
	rows, err := s.keep.store.List(ctx, checkpoint.Query{Log: log})
	if err != nil {
		return 0, storeError(err)
	}
	if len(rows) <= keep {
		return 0, nil
	}
	at, err := loadLog(ctx, s.keep.store, log, rows[keep-1].Seq)
	if err != nil {
		return 0, err
	}
	oldest, err := s.whole(&at, at.Meta.Asked)
	if err != nil {
		return 0, err
	}
	return len(rows) - keep, storeError(s.writer.Prune(ctx, "", oldest))
}
