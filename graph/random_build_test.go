package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/graph"
)

// rndBuild makes graphs of random specs and watches their nodes at work.
type rndBuild struct {
	rng    *rand.Rand
	root   *rndSpec
	finish bool            // FinishSiblings, of all graphs
	goexit bool            // nodes may fail by runtime.Goexit
	clock  bool            // nodes take time, and may time out
	calls  atomic.Int32    // of nodes
	visit  func(int32)     // is told the number of each call; may be nil
	gauge  map[string]*gau // of the root's nodes
	all    gau
	mu     sync.Mutex
	wrong  []string
}

// gau counts the calls at work.
type gau struct {
	now   atomic.Int32
	limit int
}

func (b *rndBuild) blame(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// problem returns what the nodes found wrong.
func (b *rndBuild) problem() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.wrong) > 0 {
		return errors.New(strings.Join(b.wrong, "; "))
	}
	return nil
}

func newRndBuild(rng *rand.Rand, root *rndSpec) *rndBuild {
	b := &rndBuild{rng: rng, root: root, finish: rng.IntN(2) == 0, gauge: map[string]*gau{}}
	b.all.limit = max(rng.IntN(6)-2, 0)
	for _, name := range root.names {
		b.gauge[name] = &gau{limit: max(rng.IntN(6)-3, 0)}
	}
	return b
}

// graph compiles a spec whose parent graph has the handles outer.
func (b *rndBuild) graph(s *rndSpec, f, outer *rndFields) (*graph.Graph[refState], error) {
	made := graph.New(f.schema)
	for _, name := range s.names {
		n, more := s.Nodes[name], s.node[name]
		cfg := graph.NodeConfig{Goto: more.gotos, Send: more.sends, Defer: n.Defer}
		if len(s.exits) > 0 {
			cfg.Exit = graph.ExitTo[refState](s.exits...)
		}
		cfg.MaxConcurrency = max(b.rng.IntN(6)-3, 0)
		if s == b.root {
			cfg.MaxConcurrency = b.gauge[name].limit
		}
		if b.clock {
			cfg.Timeout, cfg.Retry = s.timeout(name), s.retry(name)
		}
		if n.Child == nil {
			made.AddNode(name, b.node(s, name, f, outer), &cfg)
			continue
		}
		last := map[string]string{"last": "own", "own": "last"}[f.last.Name()]
		if n.Shared {
			last = f.last.Name()
		}
		inner := newRndFields(last)
		sub, err := b.graph(s.child[name], inner, f)
		if err != nil {
			return nil, err
		}
		graph.AddSubgraph(made, name, sub, &graph.Mount[refState, refState]{NodeConfig: graph.NodeConfig{Defer: n.Defer, MaxConcurrency: cfg.MaxConcurrency}})
	}
	b.edges(made, s, f)
	cfg := &graph.Config{RecursionLimit: s.Limit, FinishSiblings: b.finish, Lenient: b.rng.IntN(8) > 0, MaxConcurrency: max(b.rng.IntN(6)-2, 0)}
	if s == b.root {
		cfg.MaxConcurrency = b.all.limit
	}
	return made.Compile(cfg)
}

func (b *rndBuild) edges(made *graph.Builder[refState], s *rndSpec, f *rndFields) {
	for _, from := range append([]string{graph.Start}, s.names...) {
		for _, to := range s.Nodes[from].Next {
			made.AddEdge(from, to)
		}
		for i, way := range s.node[from].ways {
			w := graph.Way{Goto: way}
			if i == 0 {
				w.Send = s.node[from].relay
			}
			made.AddBranch(from, func(_ context.Context, view refState) (graph.Command[refState], error) {
				b.dawdle()
				return f.command(s.chooseOne(from, i, view), nil), nil
			}, w)
		}
	}
	for _, j := range s.Joins {
		made.AddJoin(j.Sources, j.To)
	}
}

// dawdle lets other goroutines go first, sometimes.
func (b *rndBuild) dawdle() {
	for range max(rand.IntN(8)-5, 0) {
		runtime.Gosched()
	}
}

// node makes the function of a node.
func (b *rndBuild) node(s *rndSpec, name string, f, outer *rndFields) graph.Node[refState] {
	return func(ctx context.Context, view refState) (cmd graph.Command[refState], err error) {
		if s == b.root {
			defer b.enter(name)()
		}
		if call := b.calls.Add(1); b.visit != nil {
			b.visit(call)
		}
		b.dawdle()
		if b.clock {
			if err := b.spend(ctx, s, name, view); err != nil {
				return cmd, err
			}
		}
		a := s.act(name, view)
		_ = append(view.List, "a node may append to its view")
		if a.Fail != "" {
			return cmd, b.fail(a.Fail)
		}
		return f.command(a, outer), nil
	}
}

// enter notes that a node is at work, and checks the limits.
func (b *rndBuild) enter(name string) (leave func()) {
	both := []*gau{&b.all, b.gauge[name]}
	for _, g := range both {
		if now := g.now.Add(1); g.limit > 0 && int(now) > g.limit {
			b.blame("%d tasks at work, of %q or all, but %d may be", now, name, g.limit)
		}
	}
	return func() {
		for _, g := range both {
			g.now.Add(-1)
		}
	}
}

type tiredError struct{ text string }

func (e *tiredError) Error() string { return e.text }

// fail fails in one of several ways.
func (b *rndBuild) fail(text string) error {
	err := &tiredError{text}
	switch way := dice(len(text)*31 + int(text[len(text)-1])); way.roll(4) {
	case 0:
		panic(err)
	case 1:
		if b.goexit {
			runtime.Goexit()
		}
	}
	return err
}

// pace is how long a node takes for a state, and whether it is deaf to its
// context's end.
func (s *rndSpec) pace(name string, view refState) (d time.Duration, deaf bool) {
	roll := s.throw(name+"~", view)
	times := []time.Duration{0, 0, 0, 0, time.Millisecond, 7 * time.Millisecond, 30 * time.Millisecond, 9 * time.Second}
	return times[roll.roll(len(times))], roll.in(1, 3)
}

func (s *rndSpec) timeout(name string) time.Duration {
	if d := s.throw(name+" in time", refState{}); d.in(1, 4) {
		return []time.Duration{5, 20}[d.roll(2)] * time.Millisecond
	}
	return 0
}

func (s *rndSpec) retry(name string) *graph.RetryPolicy {
	if d := s.throw(name+" again", refState{}); d.in(1, 3) {
		return &graph.RetryPolicy{MaxAttempts: 4, NoJitter: true, InitialInterval: 3 * time.Millisecond, RetryOn: func(err error) bool { return errors.Is(err, errFlaky) }}
	}
	return nil
}

var errFlaky = errors.New("not yet")

// spend lets a node take its time, after it failed a few times if it is
// repeated.
func (b *rndBuild) spend(ctx context.Context, s *rndSpec, name string, view refState) error {
	info, err := graph.Task(ctx)
	if err != nil {
		return err
	}
	if s.retry(name) != nil && info.Attempt < 1+s.throw(name+" flaky", view).roll(4) {
		return errFlaky
	}
	d, deaf := s.pace(name, view)
	if deaf {
		time.Sleep(d)
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// events writes a run's events as the reference writes its log.
func rndLog(events []graph.Event) (out []string, err error) {
	slices.SortStableFunc(events, func(a, b graph.Event) int { return graph.HeadOf(a).Pos.Compare(graph.HeadOf(b).Pos) })
	for i, e := range events {
		h := graph.HeadOf(e)
		if i > 0 && h.Pos.Compare(graph.HeadOf(events[i-1]).Pos) == 0 {
			return nil, fmt.Errorf("two events at %v: %T and %T", h.Pos, events[i-1], e)
		}
		ns := ""
		for _, name := range h.NS {
			ns += "/" + name
		}
		say := func(format string, args ...any) { out = append(out, ns+": "+fmt.Sprintf(format, args...)) }
		switch e := e.(type) {
		case *graph.StepStarted:
			var tasks []refTask
			for _, t := range e.Tasks {
				tasks = append(tasks, refTask{Node: t.Node, Sent: t.Sent})
			}
			say("%d begins %v", h.Step, refNames(tasks))
		case *graph.TaskFinished:
			if e.Leaves {
				continue
			}
			var wrote []refWrite
			for _, f := range e.Update.Fields() {
				wrote = append(wrote, refWrite{Field: strings.ReplaceAll(f, "own", "last")})
			}
			say("%d %s wrote %v", h.Step, e.Node, refFields(wrote))
		case *graph.StepCommitted:
			say("%d state %s", h.Step, *e.State.(*refState))
		case *graph.RunFinished:
			say("end %s", e.Outcome)
		}
	}
	return out, nil
}
