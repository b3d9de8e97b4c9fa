package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// sesWatch is told what nodes do in one operation.
type sesWatch struct {
	mu      sync.Mutex
	ran     []string
	drainBy string
	drain   chan struct{}
}

func (w *sesWatch) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	w.ran = append(w.ran, text)
	if text == w.drainBy {
		w.drainBy = ""
		close(w.drain)
	}
}

// begin makes ready for an operation.
func (w *sesWatch) begin(drainBy string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ran, w.drainBy, w.drain = nil, drainBy, make(chan struct{})
}

// done returns what nodes did, in any order.
func (w *sesWatch) done() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(slices.Values(w.ran))
}

// sesBuild makes graphs of specs of sessions.
type sesBuild struct {
	watch *sesWatch
	rnd   *rndBuild // for routers
	store checkpoint.Store
	most  int // tasks of a run at once; 0: all
}

func newSesBuild(s *sesSpec, store checkpoint.Store) *sesBuild {
	rng := rand.New(rand.NewPCG(s.seed, 22))
	return &sesBuild{watch: &sesWatch{}, rnd: newRndBuild(rng, s.rndSpec), store: store, most: max(rng.IntN(6)-3, 0)}
}

// compile makes the graph as a new process would.
func (b *sesBuild) compile(s *sesSpec) (*graph.Graph[refState], *rndFields, error) {
	f := newRndFields("last")
	g, err := b.graph(s, f, nil)
	return g, f, err
}

func (b *sesBuild) graph(s *sesSpec, f, outer *rndFields) (*graph.Graph[refState], error) {
	made := graph.New(f.schema)
	for _, name := range s.names {
		n, more, tr := s.Nodes[name], s.node[name], s.trait[name]
		cfg := graph.NodeConfig{Goto: more.gotos, Send: more.sends, Defer: n.Defer}
		if len(s.exits) > 0 {
			cfg.Exit = graph.ExitTo[refState](s.exits...)
		}
		if tr.retry > 0 {
			cfg.Retry = &graph.RetryPolicy{MaxAttempts: tr.retry, InitialInterval: -1}
		}
		if n.Child == nil {
			made.AddNode(name, b.node(s, name, f, outer), &cfg)
			continue
		}
		last := "own"
		if n.Shared {
			last = f.last.Name()
		}
		sub, err := b.graph(s.inner[name], newRndFields(last), f)
		if err != nil {
			return nil, err
		}
		graph.AddSubgraph(made, name, sub, &graph.Mount[refState, refState]{NodeConfig: graph.NodeConfig{Defer: n.Defer}})
	}
	b.rnd.edges(made, s.rndSpec, f)
	cfg := &graph.Config{RecursionLimit: s.Limit, FinishSiblings: true, Lenient: true, MaxConcurrency: b.most}
	cfg.InterruptBefore, cfg.InterruptAfter = s.before, s.after
	if outer == nil {
		cfg.Store = b.store
	}
	return made.Compile(cfg)
}

// node makes the function of a node: what attempt of the reference does.
func (b *sesBuild) node(s *sesSpec, name string, f, outer *rndFields) graph.Node[refState] {
	tr := s.trait[name]
	return func(ctx context.Context, view refState) (cmd graph.Command[refState], err error) {
		b.rnd.dawdle()
		info, err := graph.Task(ctx)
		if err != nil {
			return cmd, err
		}
		place := fmt.Sprintf("%s/%s@%d", strings.Join(info.NS, "/"), name, info.Step)
		b.watch.note("%s runs on %s %s", place, view, view.Item)
		runs, err := graph.Tally(ctx, "runs")
		if err != nil {
			return cmd, err
		}
		once, err := b.once(ctx, tr, place, name, runs)
		if err != nil {
			return cmd, err
		}
		if !tr.late && runs <= tr.fails {
			return cmd, errors.New("not yet")
		}
		given, err := sesAsk(ctx, tr, name)
		if err != nil {
			return cmd, err
		}
		if tr.late && runs <= tr.fails {
			return cmd, errors.New("not yet, though answered")
		}
		a := s.conclude(name, view, given, once)
		if a.Fail != "" {
			return cmd, errors.New(a.Fail)
		}
		return f.command(a, outer), nil
	}
}

func (b *sesBuild) once(ctx context.Context, tr *sesTrait, place, name string, runs int) (string, error) {
	if !tr.once {
		return "", nil
	}
	return graph.Once(ctx, "kept", func(context.Context) (string, error) {
		b.watch.note("%s once", place)
		return fmt.Sprint(name, " once ", runs), nil
	})
}

// sesAsk asks the questions of a node.
func sesAsk(ctx context.Context, tr *sesTrait, name string) (given []string, err error) {
	for i := range tr.asks {
		key := ""
		if tr.keyed {
			key = sesKey(i)
		}
		a, asked := graph.Interrupt[string](ctx, key, sesQuestion(name, i))
		switch {
		case asked != nil && !tr.together:
			return nil, asked
		case asked != nil:
			err = errors.Join(err, asked)
		case a == "no" && !tr.together:
			return append(given, a), nil
		default:
			given = append(given, a)
		}
	}
	return given, err
}
