package sessions

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// ErrNothing is returned by what Step is given if there is nothing to do.
var ErrNothing = errors.New("nothing to do")

// node is the one node of a book's graph. What it does comes with the context.
const node = "step"

// Config holds what a Book is made of.
type Config[S any] struct {
	Name   string // of the graph: a store's threads of other graphs are not taken for sessions
	Fields *handoffs.Fields[S]
	Schema *state.Schema[S] // with Fields
	Policy *handoffs.Policy
	Store  checkpoint.Store // nil: in memory
	Clock  func() time.Time // nil: time.Now
}

// Book holds sessions. It may be used by any number of goroutines at once;
// steps of one session wait for one another, also those of other processes that
// share the store.
type Book[S any] struct {
	cfg     Config[S]
	manager *handoffs.Manager
	graph   *graph.Graph[S]
}

// New returns a book, or all that is wrong with its policy.
func New[S any](cfg Config[S]) (*Book[S], error) {
	m, err := handoffs.NewManager(cfg.Policy)
	if err != nil {
		return nil, err
	}
	if cfg.Store == nil {
		cfg.Store = checkpoint.NewMemory(nil)
	}
	if cfg.Clock == nil {
		cfg.Clock = func() time.Time { return time.Now().UTC() }
	}
	g := graph.New(cfg.Schema)
	g.AddNode(node, work[S], nil)
	g.AddEdge(graph.Start, node)
	b := &Book[S]{cfg: cfg, manager: m}
	g.AddIndex(b.rows)
	b.graph, err = g.Compile(&graph.Config{Name: cfg.Name, Store: cfg.Store})
	return b, err
}

// Manager returns what decides the book's handoffs.
func (b *Book[S]) Manager() *handoffs.Manager { return b.manager }

// Now returns the time.
func (b *Book[S]) Now() time.Time { return b.cfg.Clock() }

// rows are those of the table agent_handoffs for what a step has added.
func (b *Book[S]) rows(before, after S) []checkpoint.Row {
	x, err := b.cfg.Fields.Look(&before)
	if err != nil {
		return nil
	}
	y, err := b.cfg.Fields.Look(&after)
	if err != nil || x.Log.Len() == y.Log.Len() {
		return nil
	}
	return handoffs.IndexRows("", x.Log, y.Log)
}

// workKey is the key under which a context has the work of a step.
type workKey[S any] struct{}

// work is the node: it does what its context says.
func work[S any](ctx context.Context, at S) (graph.Command[S], error) {
	do, ok := ctx.Value(workKey[S]{}).(func(context.Context, S) ([]state.Write[S], error))
	if !ok {
		return graph.Command[S]{}, errors.New("this step belongs to a call that has ended")
	}
	writes, err := do(ctx, at)
	return graph.Commands[S]{}.Update(writes...), err
}

// Load returns where a session stands; that of one that has not begun is the
// zero state.
func (b *Book[S]) Load(ctx context.Context, session string) (S, error) {
	snap, err := b.graph.State(ctx, session, "")
	if errors.Is(err, graph.ErrUnknown) {
		var zero S
		return zero, nil
	}
	if err != nil {
		var zero S
		return zero, err
	}
	return snap.Values, nil
}

// Sight is what a session holds of handoffs.
func (b *Book[S]) Sight(at *S) handoffs.Sight {
	look, err := b.cfg.Fields.Look(at)
	if err != nil { // Fields never fails
		return handoffs.Sight{Desk: &handoffs.Desk{}}
	}
	return look
}

// Sessions yields the names of the store's threads.
func (b *Book[S]) Sessions(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for t, err := range graph.Threads(ctx, b.cfg.Store) {
			if !yield(t.Thread, err) || err != nil {
				return
			}
		}
	}
}

// Step is one step of the manager on a session. Next is given where the session
// stands and a batch with all but what has come since, which it fills in; it
// returns writes that are stored beside. Step returns the state behind it, and
// what came of it; nil: next said ErrNothing. Behind any other error nothing has
// changed.
func (b *Book[S]) Step(ctx context.Context, session string, next func(at *S, in *handoffs.Batch) ([]state.Write[S], error)) (S, *handoffs.Result, error) {
	var res *handoffs.Result
	do := func(ctx context.Context, at S) ([]state.Write[S], error) {
		var writes []state.Write[S]
		var err error
		writes, res, err = b.step(ctx, session, &at, next)
		if errors.Is(err, ErrNothing) {
			return nil, nil
		}
		return writes, err
	}
	ctx = context.WithValue(ctx, workKey[S]{}, do)
	out, err := b.graph.Invoke(ctx, nil, &graph.RunConfig{Thread: session, Durability: graph.DurabilityExit, Busy: checkpoint.Enqueue})
	if err != nil {
		return out.State, nil, fmt.Errorf("session %q: %w", session, err)
	}
	return out.State, res, nil
}

func (b *Book[S]) step(ctx context.Context, session string, at *S, next func(*S, *handoffs.Batch) ([]state.Write[S], error)) ([]state.Write[S], *handoffs.Result, error) {
	look, err := b.cfg.Fields.Look(at)
	if err != nil {
		return nil, nil, err
	}
	desk := *look.Desk
	desk.Taken, desk.Mark = 0, "" // executions are not kept
	in := &handoffs.Batch{
		Session: session, Task: strconv.Itoa(desk.Seq), Desk: &desk, Log: look.Log,
		Messages: len(look.Messages), Now: b.Now(),
	}
	more, err := next(at, in)
	if err != nil {
		return nil, nil, err
	}
	res, err := b.manager.Step(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	u := &handoffs.Update{Desk: res.Desk, Entries: res.Entries}
	if res.Desk.Active != look.Desk.Active {
		u.Active = res.Desk.Active
	}
	writes, err := b.cfg.Fields.Write(u)
	return append(writes, more...), res, err
}

// Execution makes the tool execution by which an agent hands over in a step. Its
// ID is the same whenever the step is done again, and no other step's.
func Execution(in *handoffs.Batch, agent string, c *handoffs.Command) (handoffs.Execution, error) {
	data, err := c.Encode()
	return handoffs.Execution{
		ID: "step " + in.Task + "." + strconv.Itoa(len(in.Executions)), Tool: handoffs.ToolName, Input: data, Success: true, Agent: agent,
	}, err
}
