package handoffs_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

var errCrash = errors.New("injected failure")

// crashed is all that a session leaves.
type crashed struct {
	ends     []string // of the user's inputs
	values   string   // of the state: the conversation, the desk with its counters, the log
	rows     []string // a checkpoint each
	changes  []string // of the checkpoints that are no whole states
	table    []string // for SQL
	messages []string // of the bus
}

// crashRun takes a program's session to its end, whatever fails.
type crashRun struct {
	p       *rndProgram
	team    *rndTeam
	mode    graph.Durability
	store   *crashStore
	faulty  *checkpointtest.Failing // in place of the store until it has failed; nil: never
	bus     crashBus
	outbox  handoffs.Outbox
	told    int    // entries of the log that were told of, as far as it is known
	amnesia bool   // what was told is forgotten at each failure
	struck  string // the call that failed; "": none did
}

// crashThread is the thread of all sessions here.
const crashThread = "t"

func newCrashRun(p *rndProgram, mode graph.Durability, store checkpoint.Store) (*crashRun, error) {
	team, err := newRndTeam(p)
	r := &crashRun{p: p, team: team, mode: mode, store: &crashStore{Store: store, rows: map[string]string{}}}
	r.bus.seen = map[string]bool{}
	r.outbox.Bus = &r.bus
	return r, err
}

// failAt lets the n-th call of the store fail, before or after it was carried out.
func (r *crashRun) failAt(n int, after bool) {
	r.faulty = checkpointtest.NewFailing(r.store)
	r.faulty.FailAt(n, errCrash, after)
}

// play lets the user say all that there is to say.
func (r *crashRun) play(ctx context.Context) (*crashed, error) {
	out := &crashed{}
	for n := 1; n <= r.p.Inputs; n++ {
		end, err := r.input(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", n, err)
		}
		out.ends = append(out.ends, end)
	}
	return out, r.look(ctx, out)
}

// input lets the user say something until it has been heard and worked on.
func (r *crashRun) input(ctx context.Context, n int) (string, error) {
	again := false
	for range 5 {
		end, err := r.run(ctx, n, again)
		switch failed := err; {
		case failed == nil:
			return end, r.tell(ctx)
		case !errors.Is(failed, errCrash):
			return "", failed
		}
		if r.amnesia {
			r.told = 0
		}
		snap, err := r.after(ctx)
		if err != nil {
			return "", err
		}
		again = snap != nil && heard(&snap.Values) == n
		switch {
		case again && len(snap.Tasks) == 0:
			return refDone, r.tell(ctx)
		case again && snap.Source != "input" && hasFailed(&snap.Values):
			return "failed " + string(handoffs.CodeFailed), r.tell(ctx)
		}
	}
	return "", errors.New("it does not come to an end")
}

// hasFailed reports whether the run has failed by an agent. Who resumes it then,
// because he was not told, lets the agent try again.
func hasFailed(s *rndState) bool {
	return s.Handoffs.Fault != nil && s.Handoffs.Fault.Code == handoffs.CodeFailed
}

// run makes one run: the user's input, or what is left of it.
func (r *crashRun) run(ctx context.Context, n int, again bool) (string, error) {
	var store checkpoint.Store = r.store
	if r.faulty != nil && r.struck == "" {
		store = r.faulty
	}
	g := r.team.graph.On(store, nil)
	cfg := &graph.RunConfig{Thread: crashThread, Durability: r.mode}
	var res graph.Result[rndState]
	var err error
	if again {
		res, err = g.Resume(ctx, graph.Answers{}, cfg)
	} else {
		m := state.Text(state.RoleHuman, fmt.Sprint("input ", n))
		res, err = g.Invoke(ctx, graph.Input(rndFields.Messages.Add(m)), cfg)
	}
	if r.faulty != nil && r.struck == "" {
		calls := r.faulty.Calls()
		if slices.Contains(calls, "") || errors.Is(err, errCrash) {
			r.struck = calls[len(calls)-1]
		}
	}
	if errors.Is(err, errCrash) {
		return "", err
	}
	return rndEnd(res.Outcome, err)
}

// after frees the thread, as if its process had died, and returns where it
// stands; nil: there is none.
func (r *crashRun) after(ctx context.Context) (*graph.Snapshot[rndState], error) {
	if err := r.store.release(); err != nil {
		return nil, err
	}
	snap, err := r.team.graph.On(r.store, nil).State(ctx, crashThread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil, nil
	}
	return snap, err
}

// heard is how often the user was heard.
func heard(s *rndState) (n int) {
	for _, m := range s.Messages {
		if m.Role == state.RoleHuman {
			n++
		}
	}
	return n
}

// tell tells the bus what is new.
func (r *crashRun) tell(ctx context.Context) error {
	snap, err := r.after(ctx)
	if err != nil {
		return err
	}
	r.told, err = r.outbox.Publish(ctx, crashThread, handoffs.LogOf(snap.Values.HandoffLog), r.told)
	return err
}

// graphMark is the graph that a row tells of: when it is told anew depends on
// when runs began.
var graphMark = regexp.MustCompile(`,"graph":"[^"]*"`)

// look reads what the session has left.
func (r *crashRun) look(ctx context.Context, out *crashed) error {
	snap, err := r.after(ctx)
	if err != nil {
		return err
	}
	out.values, out.table, out.messages = rndJSON(snap.Values), r.store.table(), r.bus.messages
	commits, err := r.store.List(ctx, checkpoint.Query{Log: checkpoint.Log{Thread: crashThread}, Bodies: true})
	for _, c := range commits {
		out.rows = append(out.rows, fmt.Sprintf("%d behind %d, step %d, %s: %s", c.Seq, c.Parent, c.Step, c.Source, graphMark.ReplaceAll(c.Meta, nil)))
		if c.Base != c.Seq { // which steps are stored as a whole state depends on when runs began
			out.changes = append(out.changes, fmt.Sprintf("%d: %s", c.Seq, c.Body))
		}
	}
	return err
}

// same says where a session differs from an undisturbed one.
func (c *crashed) same(want *crashed, mode graph.Durability) error {
	err := errors.Join(
		sameList("ends", want.ends, c.ends), same("values", want.values, c.values),
		sameList("rows of the table", want.table, c.table), sameList("messages of the bus", want.messages, c.messages),
	)
	if mode == graph.DurabilitySync {
		err = errors.Join(err, sameList("checkpoints", want.rows, c.rows), sameList("changes", both(want.changes, c.changes), both(c.changes, want.changes)))
	}
	return err
}

// both returns those changes of the first list whose checkpoint is in the second
// one as well.
func both(list, other []string) (out []string) {
	for _, c := range list {
		number, _, _ := strings.Cut(c, ":")
		if slices.ContainsFunc(other, func(o string) bool { return strings.HasPrefix(o, number+":") }) {
			out = append(out, c)
		}
	}
	return out
}
