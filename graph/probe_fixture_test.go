package graph_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Page is the state of most tests: a list that is appended to, plain values,
// a sum, a map, a pointer, a field with a reducer of its own, a local field.
type Page struct {
	X    []string
	V, W string
	Sum  int
	Meta map[string]string
	Mark *Mark
	Top  int
	Item string
}

// Mark is what a Page points to.
type Mark struct {
	Text string `json:"text"`
}

var (
	pageX    = state.NewList("x", func(p *Page) *[]string { return &p.X })
	pageV    = state.NewValue("v", func(p *Page) *string { return &p.V })
	pageW    = state.NewValue("w", func(p *Page) *string { return &p.W })
	pageSum  = state.NewCounter("sum", func(p *Page) *int { return &p.Sum })
	pageMeta = state.NewMap("meta", func(p *Page) *map[string]string { return &p.Meta })
	pageMark = state.NewValue("mark", func(p *Page) **Mark { return &p.Mark })
	pageTop  = state.NewReduced("top", state.Reducer[int]{Name: "top", Combine: top}, func(p *Page) *int { return &p.Top })
	pageItem = state.NewLocal("item", func(p *Page) *string { return &p.Item })

	pageSchema = state.MustSchema(pageX, pageV, pageW, pageSum, pageMeta, pageMark, pageTop, pageItem)
	page       graph.Commands[Page]
)

type (
	pageCmd  = graph.Command[Page]
	pageNode = graph.Node[Page]
)

// top is a reducer that keeps the greater number, refuses negative ones and
// panics at 666.
func top(cur, upd int) (int, error) {
	switch {
	case upd < 0:
		return 0, errNegative
	case upd == 666:
		panic("the number of the beast")
	}
	return max(cur, upd), nil
}

var (
	errNegative = errors.New("negative")
	errBroken   = errors.New("broken")
)

// appends is a node that appends a text to x.
func appends(text string) pageNode { return gives(page.Update(pageX.Append(text))) }

// gives is a node that returns a command.
func gives(c pageCmd) pageNode {
	return func(context.Context, Page) (pageCmd, error) { return c, nil }
}

// fails is a node that returns an error.
func fails(err error) pageNode {
	return func(context.Context, Page) (pageCmd, error) { return pageCmd{}, err }
}

// waits is a node that honours its context and returns what ended it.
func waits() pageNode {
	return func(ctx context.Context, _ Page) (pageCmd, error) {
		<-ctx.Done()
		return pageCmd{}, context.Cause(ctx)
	}
}

// sleeps is a node that works for a while, unless its context ends.
func sleeps(d time.Duration, c pageCmd) pageNode {
	return func(ctx context.Context, _ Page) (pageCmd, error) {
		select {
		case <-time.After(d):
			return c, nil
		case <-ctx.Done():
			return pageCmd{}, ctx.Err()
		}
	}
}

// chain adds nodes that append their names, one behind the other.
func chain(b *graph.Builder[Page], names ...string) {
	from := graph.Start
	for _, name := range names {
		b.AddNode(name, appends(name), nil)
		b.AddEdge(from, name)
		from = name
	}
}

// beside adds nodes that begin together.
func beside(b *graph.Builder[Page], nodes map[string]pageNode) {
	for name, work := range nodes {
		b.AddNode(name, work, nil)
		b.AddEdge(graph.Start, name)
	}
}

// pageGraph compiles a graph that must be right.
func pageGraph(t testing.TB, cfg *graph.Config, parts func(b *graph.Builder[Page])) *graph.Graph[Page] {
	t.Helper()
	b := graph.New(pageSchema)
	parts(b)
	g, err := b.Compile(cfg)
	require.NoError(t, err)
	return g
}

// run runs a graph on writes.
func run(g *graph.Graph[Page], in ...state.Write[Page]) (graph.Result[Page], error) {
	return g.Invoke(context.Background(), in, nil)
}

// done runs a graph that must succeed.
func done(t testing.TB, g *graph.Graph[Page], in ...state.Write[Page]) Page {
	t.Helper()
	out, err := run(g, in...)
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, out.Outcome)
	require.Empty(t, out.Next)
	return out.State
}

// placed returns the error's place.
func placed(t testing.TB, err error) *graph.Error {
	t.Helper()
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	return e
}

// bubble runs a test with a clock of its own; when the test is over every
// goroutine of it must have ended.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// settled waits until no more goroutines are left than there were.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Fatalf("%d goroutines, there were %d:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}
