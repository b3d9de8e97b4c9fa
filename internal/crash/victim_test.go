package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// victim is a session whose processes die.
type victim struct {
	session string
	mode    graph.Durability
	dir     string
	calm    *calm
	again   int // how many lines others were told again
}

// suffer lets one process after the other play the session and die, then one
// play it to its end, and looks at what each has left. It returns how many died:
// with DurabilityAsync there may be fewer appends than undisturbed, and a process
// may be done before its blow falls.
func (v *victim) suffer(ctx context.Context, blows ...blow) (killed int, err error) {
	for _, b := range blows {
		died, err := v.process(b)
		if died {
			killed++
		}
		if err == nil {
			err = v.look(ctx, died, b.When)
		}
		if err != nil {
			return killed, fmt.Errorf("killed at %v of %v: %w", b, blows, err)
		}
	}
	if _, err = v.process(blow{}); err == nil {
		err = v.settle(ctx)
	}
	if err != nil {
		return killed, fmt.Errorf("gone on with behind %v: %w", blows, err)
	}
	return killed, nil
}

// process lets a new process play the session until it dies, or is over.
func (v *victim) process(b blow) (killed bool, err error) {
	c, err := start(&order{Dir: v.dir, Session: v.session, Mode: v.mode, Death: &death{When: b.When, N: b.N, Will: v.will()}})
	if err != nil {
		return false, err
	}
	return c.end()
}

// visit looks at the file as it was left, then opens the store and reads the
// thread, which must be free, for do to look at.
func (v *victim) visit(ctx context.Context, much int, do func(*play, *sqlite.Store, *chronicle) error) error {
	p, err := newPlay(v.session, v.dir, v.mode, nil)
	if err == nil {
		err = intact(ctx, fileIn(v.dir))
	}
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, fileIn(v.dir), nil)
	if err != nil {
		return err
	}
	w, err := s.Claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return errors.Join(fmt.Errorf("the thread is not free: %w", err), s.Close())
	}
	c, err := read(ctx, p.file.Graph(), s, thread, much)
	if err = errors.Join(w.Release(), err, s.Check(ctx)); err == nil {
		err = do(p, s, c)
	}
	return errors.Join(err, s.Close())
}

// look says what is wrong with what a dead process has left: the thread must
// stand where the undisturbed one once stood, its rows tell its log, and nobody
// was told more than that. If a process has died there is in the log what that
// one knew of.
func (v *victim) look(ctx context.Context, died bool, when moment) error {
	return v.visit(ctx, past, func(p *play, s *sqlite.Store, c *chronicle) error {
		log, err := p.log(ctx, s)
		if err == nil {
			err = p.plans(ctx, s)
		}
		if err != nil {
			return err
		}
		sent, _, err := p.post.sent()
		if len(sent) > len(v.calm.sent) {
			err = errors.Join(err, fmt.Errorf("others were told %d things, undisturbed %d", len(sent), len(v.calm.sent)))
		}
		if died {
			err = errors.Join(err, v.holds(ctx, s, when))
		}
		known := v.calm.sent[:min(len(sent), len(v.calm.sent))]
		return errors.Join(err, v.calm.begins(c), tableOf(ctx, fileIn(v.dir), thread, log), same("message", known, sent), toldOf(log, sent))
	})
}

// will is the file in which a process says what the log holds, before it dies.
func (v *victim) will() string { return filepath.Join(v.dir, "will") }

// holds says that the log does not hold what the dead process said, or, if it
// died at an append, holds more.
func (v *victim) holds(ctx context.Context, s checkpoint.Store, when moment) error {
	text, err := os.ReadFile(v.will())
	if err != nil {
		return err
	}
	var want, got holding
	if err := json.Unmarshal(text, &want); err != nil {
		return err
	}
	l, err := s.Load(ctx, checkpoint.Log{Thread: thread}, 0)
	if err != nil {
		return err
	}
	got.take(l)
	same := got.Head == want.Head && maps.Equal(got.Pending, want.Pending)
	if !same && (when != afterTelling || got.Head < want.Head) { // the run goes on while others are told
		return fmt.Errorf("the log holds %v, the process that died said %v", got, want)
	}
	return os.Remove(v.will())
}

// toldOf says that others were told what is not in a log.
func toldOf(log handoffs.Log, sent []string) error {
	most := 0
	for range handoffs.BusMessages(thread, log) {
		most++
	}
	for range handoffs.TraceEvents(thread, log) {
		most++
	}
	if len(sent) > most {
		return fmt.Errorf("others were told %d things, of which the log has only %d", len(sent), most)
	}
	return nil
}

// settle says what is wrong at the end: the checkpoints with all fields, the
// commits, the rows for SQL and what others were told must be those of the
// undisturbed session.
func (v *victim) settle(ctx context.Context) error {
	return v.visit(ctx, whole, func(p *play, s *sqlite.Store, c *chronicle) error {
		table, err := commitRows(ctx, v.dir)
		if err != nil {
			return err
		}
		sent, again, err := p.post.sent()
		v.again += again
		log, bad := p.log(ctx, s)
		return errors.Join(err, bad, p.plans(ctx, s), v.calm.equals(c), same("row", v.calm.table, table),
			same("message", v.calm.sent, sent), tableOf(ctx, fileIn(v.dir), thread, log))
	})
}

// commitRows reads the rows for SQL of a thread in a file, each with its commit;
// none if there is no table, which a store makes with its first row.
func commitRows(ctx context.Context, dir string) ([]string, error) {
	table := handoffs.IndexTable
	tables, err := selectAll(ctx, fileIn(dir), "SELECT name FROM sqlite_master WHERE name = ?", table)
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	return selectAll(ctx, fileIn(dir), "SELECT *, seq AS of_commit FROM "+table+" WHERE thread = ? ORDER BY seq, key", thread)
}
