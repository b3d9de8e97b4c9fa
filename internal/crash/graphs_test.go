package crash_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// world is what nodes reach beside the state.
type world struct {
	ledger *ledger
	slow   bool // tasks take their time
}

// errFlaky is how a node fails that must be resumed to succeed.
var errFlaky = errors.New("it fails the first time")

// graphNames are the graphs that are disturbed everywhere; beside them there is
// "steps", whose history takes long to read.
var graphNames = []string{"loop", "nested", "questions", "faults", "long", "chain", "spawn", "calls"}

// build compiles a graph whose effects go to w.
func build(name string, w *world) (*sheetGraph, error) {
	switch name {
	case "loop":
		return w.loop()
	case "nested":
		return w.nested()
	case "questions":
		return w.questions()
	case "faults":
		return w.faults()
	case "long":
		return w.long()
	case "chain":
		return w.chain()
	case "spawn":
		return w.spawn()
	case "calls":
		return w.calls()
	case "steps":
		return w.steps()
	}
	return nil, fmt.Errorf("there is no graph %q", name)
}

// inputOf is what runs of a graph begin with.
func inputOf(name string) []state.Write[Sheet] {
	if name == "steps" {
		return append(input(), sheetTeam.Plan.Set(longPlan()))
	}
	return input()
}

// path returns the id of a task without its thread.
func path(i graph.TaskInfo) string { return strings.TrimPrefix(i.Task, i.Thread+"/") }

// act is what every node does: an effect in the middle of some time. It
// returns the writes that tell of the task.
func (w *world) act(ctx context.Context) (graph.TaskInfo, []state.Write[Sheet], error) {
	i, err := graph.Task(ctx)
	if err != nil {
		return i, nil, err
	}
	p := path(i)
	w.pause(p)
	if err := w.ledger.note(effectTask, fmt.Sprintf("%s#%d", p, i.Attempt)); err != nil {
		return i, nil, err
	}
	w.pause(i.Node + p)
	writes := graph.Input(
		sheetLog.Append(i.Node+" "+p), sheetSum.Add(len(p)), sheetBest.Put(i.Node, i.Step), sheetBook.Put(p, i.Node),
		sheetTalk.Add(state.Message{ID: i.Node, Role: state.RoleAI, Content: []state.Part{}}),
	)
	return i, writes, nil
}

// pause takes between 0.1 and 0.5 ms, the same for the same text.
func (w *world) pause(text string) {
	if !w.slow {
		return
	}
	h := fnv.New32a()
	h.Write([]byte(text))
	time.Sleep(time.Duration(100+h.Sum32()%400) * time.Microsecond)
}

// plain is a node that does what all do.
func (w *world) plain(ctx context.Context, s Sheet) (sheetCmd, error) {
	_, writes, err := w.act(ctx)
	if s.Item != "" {
		writes = append(writes, sheetLog.Append("item "+s.Item))
	}
	return sheet.Update(writes...), err
}

// spread sends n tasks to each of some nodes.
func (w *world) spread(n int, to ...string) sheetNode {
	return func(ctx context.Context, _ Sheet) (sheetCmd, error) {
		_, writes, err := w.act(ctx)
		return sheet.All(sheet.Update(writes...), sheet.Send(packets(n, to...)...)), err
	}
}

func packets(n int, to ...string) (out []graph.Packet[Sheet]) {
	for _, node := range to {
		for k := range n {
			out = append(out, sheet.To(node, sheetItem.Set(fmt.Sprint(node, k))))
		}
	}
	return out
}

// once does an effect that must not be repeated.
func (w *world) once(ctx context.Context, key string) (string, error) {
	i, err := graph.Task(ctx)
	if err != nil {
		return "", err
	}
	name := path(i) + ":" + key
	value, err := graph.Once(ctx, key, func(context.Context) (string, error) {
		defer w.pause(name)
		return "receipt of " + name, w.ledger.do(name)
	})
	if err == nil {
		err = w.ledger.note(effectKept, name)
	}
	return value, err
}

func edges(b *graph.Builder[Sheet], pairs ...string) {
	for _, p := range pairs {
		from, to, _ := strings.Cut(p, ">")
		b.AddEdge(from, to)
	}
}

// loop goes round four times: sends that gather, and an uneven join.
func (w *world) loop() (*sheetGraph, error) {
	b := graph.New(sheets)
	b.AddNode("plan", func(ctx context.Context, s Sheet) (sheetCmd, error) {
		_, writes, err := w.act(ctx)
		writes = append(writes, sheetRound.Set(s.Round+1))
		return sheet.All(sheet.Update(writes...), sheet.Send(packets(3+s.Round%2, "work")...)), err
	}, &graph.NodeConfig{Send: []string{"work"}})
	for _, name := range []string{"work", "gather", "left", "left2", "right", "meet"} {
		b.AddNode(name, w.plain, nil)
	}
	edges(b, "START>plan", "work>gather", "plan>left", "plan>right", "left>left2")
	b.AddJoin([]string{"left2", "right"}, "meet")
	b.AddChoice("meet", func(s Sheet) string {
		if s.Round < 4 {
			return "plan"
		}
		return graph.End
	}, "plan", graph.End)
	return b.Compile(nil)
}

// nested has subgraphs in subgraphs, side by side and sent to.
func (w *world) nested() (*sheetGraph, error) {
	leaf := graph.New(sheets)
	leaf.AddNode("a", w.spread(2, "b"), &graph.NodeConfig{Send: []string{"b"}})
	leaf.AddNode("b", w.plain, nil)
	leaf.AddNode("c", w.plain, nil)
	edges(leaf, "START>a", "b>c")
	inner, err := leaf.Compile(nil)
	if err != nil {
		return nil, err
	}
	middle := graph.New(sheets)
	middle.AddNode("open", w.spread(2, "leaf"), &graph.NodeConfig{Send: []string{"leaf"}})
	graph.AddSubgraph[Sheet, Sheet](middle, "leaf", inner, nil)
	graph.AddSubgraph[Sheet, Sheet](middle, "other", inner, nil)
	middle.AddNode("close", w.plain, nil)
	edges(middle, "START>open", "open>other", "leaf>close", "other>close")
	mid, err := middle.Compile(nil)
	if err != nil {
		return nil, err
	}
	b := graph.New(sheets)
	b.AddNode("first", w.spread(2, "sent"), &graph.NodeConfig{Send: []string{"sent"}})
	graph.AddSubgraph[Sheet, Sheet](b, "sent", mid, nil)
	graph.AddSubgraph[Sheet, Sheet](b, "mid", mid, nil)
	b.AddNode("last", w.plain, nil)
	edges(b, "START>first", "first>mid", "mid>last", "sent>last")
	return b.Compile(nil)
}

// ask pays once, asks, and ships once.
func (w *world) ask(keys ...string) sheetNode {
	return func(ctx context.Context, _ Sheet) (sheetCmd, error) {
		_, writes, err := w.act(ctx)
		if err != nil {
			return sheetCmd{}, err
		}
		for _, key := range keys {
			paid, err := w.once(ctx, "pay "+key)
			if err != nil {
				return sheetCmd{}, err
			}
			answer, err := graph.Interrupt[string](ctx, key, paid)
			if err != nil {
				return sheetCmd{}, err
			}
			writes = append(writes, sheetLog.Append(answer))
		}
		shipped, err := w.once(ctx, "ship")
		return sheet.Update(append(writes, sheetLog.Append(shipped))...), err
	}
}

// questions asks in tasks side by side, in subgraphs at two depths and several
// in a row, and pauses before its last node.
func (w *world) questions() (*sheetGraph, error) {
	leaf := graph.New(sheets)
	leaf.AddNode("before", w.plain, nil)
	leaf.AddNode("deep", w.ask("one", "two"), nil)
	leaf.AddNode("aside", w.plain, nil)
	leaf.AddNode("after", w.plain, nil)
	edges(leaf, "START>before", "before>deep", "before>aside", "deep>after")
	inner, err := leaf.Compile(nil)
	if err != nil {
		return nil, err
	}
	middle := graph.New(sheets)
	middle.AddNode("open", w.plain, nil)
	middle.AddNode("shallow", w.ask("three"), nil)
	graph.AddSubgraph[Sheet, Sheet](middle, "leaf", inner, nil)
	edges(middle, "START>open", "open>leaf", "open>shallow")
	mid, err := middle.Compile(nil)
	if err != nil {
		return nil, err
	}
	b := graph.New(sheets)
	b.AddNode("prepare", w.spread(2, "ask"), &graph.NodeConfig{Send: []string{"ask"}})
	b.AddNode("ask", w.ask("ok"), nil)
	b.AddNode("plain", w.plain, nil)
	graph.AddSubgraph[Sheet, Sheet](b, "mid", mid, nil)
	b.AddNode("gather", w.plain, nil)
	b.AddNode("final", w.ask("done"), nil)
	edges(b, "START>prepare", "prepare>plain", "prepare>mid", "plain>gather", "mid>gather", "ask>gather", "gather>final")
	return b.Compile(&graph.Config{InterruptBefore: []string{"gather"}})
}

// flaky fails until it was begun twice in all runs.
func (w *world) flaky(ctx context.Context, _ Sheet) (sheetCmd, error) {
	_, writes, err := w.act(ctx)
	if err != nil {
		return sheetCmd{}, err
	}
	if _, err := w.once(ctx, "flaky"); err != nil {
		return sheetCmd{}, err
	}
	n, err := graph.Tally(ctx, "begun")
	if err == nil && n < 2 {
		err = errFlaky
	}
	return sheet.Update(writes...), err
}

// retried succeeds in its third attempt.
func (w *world) retried(ctx context.Context, _ Sheet) (sheetCmd, error) {
	i, writes, err := w.act(ctx)
	if err != nil {
		return sheetCmd{}, err
	}
	if _, err := w.once(ctx, "retried"); err != nil {
		return sheetCmd{}, err
	}
	if i.Attempt < 3 {
		return sheetCmd{}, fmt.Errorf("attempt %d", i.Attempt)
	}
	return sheet.Update(writes...), nil
}

// stumbling fails the first time in each turn, and then not.
func (w *world) stumbling(ctx context.Context, _ Sheet) (sheetCmd, error) {
	i, writes, err := w.act(ctx)
	if err != nil {
		return sheetCmd{}, err
	}
	if w.ledger.first(path(i)) {
		return sheetCmd{}, errors.New("the first time in this turn")
	}
	return sheet.Update(writes...), nil
}

// crumbs is a subgraph that fails behind some steps, for a host that is
// retried at once.
func (w *world) crumbs() (*sheetGraph, error) {
	b := graph.New(sheets)
	b.AddNode("one", w.spread(3, "two"), &graph.NodeConfig{Send: []string{"two"}})
	b.AddNode("two", w.plain, nil)
	b.AddNode("three", w.plain, nil)
	b.AddNode("stumble", w.stumbling, nil)
	edges(b, "START>one", "two>three", "two>stumble")
	return b.Compile(&graph.Config{FinishSiblings: true})
}

// faults has retries, nodes that fail a run, an error handler, a subgraph that
// is left for its parent, one that fails, and deferred nodes.
func (w *world) faults() (*sheetGraph, error) {
	leaving := graph.New(sheets)
	leaving.AddNode("inner", w.plain, nil)
	leaving.AddNode("leave", func(ctx context.Context, _ Sheet) (sheetCmd, error) {
		_, writes, err := w.act(ctx)
		return graph.ToParent[Sheet](sheet.Goto("reached", writes...)), err
	}, &graph.NodeConfig{Exit: graph.ExitTo[Sheet]("reached")})
	edges(leaving, "START>inner", "inner>leave")
	away, err := leaving.Compile(nil)
	if err != nil {
		return nil, err
	}
	failing := graph.New(sheets)
	failing.AddNode("good", w.plain, nil)
	failing.AddNode("bad", w.flaky, nil)
	failing.AddNode("beside", w.plain, nil)
	edges(failing, "START>good", "good>bad", "good>beside")
	bad, err := failing.Compile(&graph.Config{FinishSiblings: true})
	if err != nil {
		return nil, err
	}
	trail, err := w.crumbs()
	if err != nil {
		return nil, err
	}
	b := graph.New(sheets)
	retry := graph.NodeConfig{Retry: &graph.RetryPolicy{InitialInterval: -1}}
	b.AddNode("retried", w.retried, &retry)
	b.AddNode("flaky", w.flaky, nil)
	b.AddNode("handled", func(ctx context.Context, s Sheet) (sheetCmd, error) {
		_, _, err := w.act(ctx)
		return sheetCmd{}, errors.Join(err, errors.New("for the handler"))
	}, nil)
	b.AddErrorHandler("handled", func(_ context.Context, _ Sheet, failed *graph.Error) (sheetCmd, error) {
		if errors.Is(failed, graph.ErrStore) {
			return sheetCmd{}, failed
		}
		return sheet.Update(sheetLog.Append("handled")), nil
	})
	graph.AddSubgraph[Sheet, Sheet](b, "away", away, nil)
	graph.AddSubgraph[Sheet, Sheet](b, "bad", bad, nil)
	graph.AddSubgraph(b, "again", bad, &graph.Mount[Sheet, Sheet]{NodeConfig: retry})
	graph.AddSubgraph(b, "trail", trail, &graph.Mount[Sheet, Sheet]{NodeConfig: retry})
	for _, name := range []string{"start", "reached", "late"} {
		b.AddNode(name, w.plain, nil)
	}
	b.AddNode("end", w.plain, &graph.NodeConfig{Defer: true})
	b.AddNode("close", w.plain, &graph.NodeConfig{Defer: true})
	edges(b, "START>start", "start>retried", "start>handled", "start>away", "start>bad", "late>trail", "start>close", "start>end",
		"retried>flaky", "reached>again", "flaky>late", "close>flaky")
	return b.Compile(nil)
}

// long has many steps that write much over what was there: what they did soon
// outweighs the state, in the graph and in a subgraph, and the state is stored
// as a whole again and again.
func (w *world) long() (*sheetGraph, error) {
	inner := graph.New(sheets)
	inner.AddNode("grow", w.grow(16), &graph.NodeConfig{Goto: []string{"grow"}})
	edges(inner, "START>grow")
	sub, err := inner.Compile(&graph.Config{RecursionLimit: -1})
	if err != nil {
		return nil, err
	}
	b := graph.New(sheets)
	b.AddNode("grow", w.grow(24), &graph.NodeConfig{Goto: []string{"grow", "sub"}})
	graph.AddSubgraph[Sheet, Sheet](b, "sub", sub, nil)
	b.AddNode("end", w.plain, nil)
	edges(b, "START>grow", "sub>end")
	return b.Compile(&graph.Config{RecursionLimit: -1})
}

// grow writes much, and goes round until it was round often enough.
func (w *world) grow(rounds int) sheetNode {
	return func(ctx context.Context, s Sheet) (sheetCmd, error) {
		i, writes, err := w.act(ctx)
		n := s.Round + 1
		much := strings.Repeat(fmt.Sprint(i.Node, n, " "), 700)
		writes = append(writes, sheetOwn.Replace([]string{much}), sheetOwn.Append("behind it"), sheetBest.Put(fmt.Sprint(n), n))
		if n < rounds {
			return sheet.Goto("grow", append(writes, sheetRound.Set(n))...), err
		}
		writes = append(writes, sheetRound.Set(0), sheetOwn.Replace(nil))
		if len(i.NS) > 0 {
			return sheet.Update(writes...), err
		}
		return sheet.Goto("sub", writes...), err
	}
}
