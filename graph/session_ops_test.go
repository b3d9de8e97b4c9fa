package graph_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// sesOp is an operation on a thread. What its numbers choose depends on where
// the thread stands, so that it means something whatever came before.
type sesOp struct {
	Kind          string
	Thread        int
	N             [5]int
	Dur           graph.Durability
	Fresh, Stream bool // with a graph compiled anew; with the events of the run
	At            bool // from an older checkpoint
	Drain         bool
	Lists         bool // other lists of nodes at which to pause
}

var sesKinds = []struct {
	kind   string
	weight int
}{
	{"run", 16}, {"answer", 24}, {"resume", 24}, {"update", 12}, {"fork", 6}, {"copy", 3},
	{"prune", 4}, {"history", 3}, {"state", 3}, {"diff", 3}, {"late", 1},
}

func newSesOps(seed uint64) (ops []sesOp) {
	rng := rand.New(rand.NewPCG(seed, 23))
	sum := 0
	for _, k := range sesKinds {
		sum += k.weight
	}
	for i := range 4 + rng.IntN(10) {
		op := sesOp{Kind: "run", Dur: graph.Durability(max(rng.IntN(5)-2, 0)), Fresh: rng.IntN(3) == 0, Stream: rng.IntN(4) == 0}
		op.At, op.Drain, op.Lists = rng.IntN(8) == 0, rng.IntN(8) == 0, rng.IntN(5) == 0
		if op.Thread = rng.IntN(4) / 3; rng.IntN(40) == 0 {
			op.Thread = 2
		}
		for k := range op.N {
			op.N[k] = rng.IntN(1 << 20)
		}
		for w, k := rng.IntN(sum), 0; i > 0; k++ {
			if w -= sesKinds[k].weight; w < 0 {
				op.Kind = sesKinds[k].kind
				break
			}
		}
		ops = append(ops, op)
	}
	return ops
}

// sesWorld is the engine and the reference side by side.
type sesWorld struct {
	*sesBuild
	spec    *sesSpec
	g       *graph.Graph[refState]
	f       *rndFields
	threads string // what their names begin with
	ref     map[string]*refLog
	seen    []string // ids of questions
	trace   []string
	nodes   int // runs of nodes so far
	tally   map[string]int
}

func (w *sesWorld) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// outcome of an operation by the reference: of a run, or why it is refused.
type sesWant struct {
	end     *refEnd
	refused error
	log     *refLog // how the thread stands then
	op      *refOp
}

func (w *sesWorld) thread(i int) string { return w.threads + []string{"one", "two", "three"}[i%3] }

// do does an operation on both sides and compares.
func (w *sesWorld) do(op *sesOp) error {
	if op.Fresh {
		var err error
		if w.g, w.f, err = w.compile(w.spec); err != nil {
			return err
		}
	}
	name := w.thread(op.Thread)
	var err error
	switch op.Kind {
	case "run":
		err = w.runs(op, name)
	case "resume", "answer":
		err = w.resumes(op, name)
	case "update":
		err = w.updates(op, name)
	case "fork", "copy":
		err = w.forks(op, name)
	case "prune":
		err = w.prunes(op, name)
	case "late":
		err = w.late(op, name)
	default:
		err = w.reads(op, name)
	}
	if err == nil {
		err = w.check(name)
	}
	if err != nil {
		return fmt.Errorf("%s of thread %q: %w", op.Kind, name, err)
	}
	w.tally[op.Kind]++
	return nil
}

// older returns a row that an operation is to begin with: nil if none, with
// the engine's name of it.
func (w *sesWorld) older(op *sesOp, log *refLog, n int) (*refRow, string) {
	if log == nil || !op.At {
		return nil, ""
	}
	row := log.rows[n%len(log.rows)]
	return row, log.name[row.id]
}

// lists chooses where a run pauses.
func (w *sesWorld) lists(op *sesOp, cfg *graph.RunConfig, x *refOp) {
	x.before, x.after = w.spec.before, w.spec.after
	if !op.Lists {
		return
	}
	pick := func(n int) []string {
		out := []string{}
		for i, name := range slices.Sorted(slices.Values(w.spec.names)) {
			if n>>(2*i)&3 == 0 && n%3 > 0 {
				out = append(out, name)
			}
		}
		return out
	}
	if op.N[3]%4 > 0 {
		cfg.InterruptBefore = pick(op.N[3] / 4)
		x.before = cfg.InterruptBefore
	}
	if op.N[4]%4 > 0 {
		cfg.InterruptAfter = pick(op.N[4] / 4)
		x.after = cfg.InterruptAfter
	}
}

// predict lets the reference do something; if the run is to be drained, once
// more with the moment chosen.
func (w *sesWorld) predict(op *sesOp, cfg *graph.RunConfig, run func(x *refOp) sesWant) sesWant {
	once := func(drainBy string) sesWant {
		x := &refOp{exit: op.Dur == graph.DurabilityExit, drainBy: drainBy}
		w.lists(op, cfg, x)
		want := run(x)
		want.op = x
		return want
	}
	want := once("")
	if runs := want.op.runs; op.Drain && len(runs) > 0 {
		if i := op.N[4] % len(runs); !want.op.aside[i] && slices.Index(runs, runs[i]) == i {
			return once(runs[i])
		}
	}
	return want
}

// sesWrites makes what a person writes: now and then a field twice, which is
// refused.
func sesWrites(d *dice, s *sesSpec, by string) []refWrite {
	out := d.writes(s.rndSpec, by)
	for i := range d.roll(24) / 22 * 2 {
		out = append(out, refWrite{Field: "last", Verb: "set", S: fmt.Sprint(by, "!", i)})
	}
	return out
}

func (w *sesWorld) runs(op *sesOp, name string) error {
	d := dice(op.N[0])
	in := sesWrites(&d, w.spec, fmt.Sprint("in", op.N[0]%100))
	cfg := &graph.RunConfig{Thread: name, Durability: op.Dur}
	row, at := w.older(op, w.ref[name], op.N[1])
	cfg.At = at
	want := w.predict(op, cfg, func(x *refOp) sesWant {
		log := w.ref[name].clone()
		if log == nil {
			log = &refLog{name: map[int]string{}}
		}
		if row != nil {
			log.fork(row)
		}
		return sesWant{log: log, end: x.run(w.spec, log, "", in, true)}
	})
	if want.end.input && row == nil { // what is refused changes nothing; the fork comes first
		want.log = w.ref[name]
	}
	w.say("run %s %v%s", name, in, describeRun(op, cfg, want.op))
	return w.settle(op, name, cfg, want, func(ctx context.Context) sesGot {
		if op.Stream {
			return sesStream(w.g.Stream(ctx, w.f.writes(in), cfg))
		}
		return sesInvoke(w.g.Invoke(ctx, w.f.writes(in), cfg))
	})
}

func describeRun(op *sesOp, cfg *graph.RunConfig, x *refOp) string {
	var b strings.Builder
	fmt.Fprintf(&b, ", %s", []string{"sync", "async", "exit"}[op.Dur])
	if cfg.At != "" {
		fmt.Fprintf(&b, ", at %s", cfg.At)
	}
	if op.Lists {
		fmt.Fprintf(&b, ", before %q, after %q", cfg.InterruptBefore, cfg.InterruptAfter)
	}
	if x != nil && x.drainBy != "" {
		fmt.Fprintf(&b, ", drained when %s", x.drainBy)
	}
	if op.Fresh {
		b.WriteString(", compiled anew")
	}
	return b.String()
}

// resumes goes on with a thread, with answers or without.
func (w *sesWorld) resumes(op *sesOp, name string) error {
	cfg := &graph.RunConfig{Thread: name, Durability: op.Dur}
	row, at := w.older(op, w.ref[name], op.N[1])
	cfg.At = at
	var open []*refQuestion
	if log := w.ref[name]; log != nil && row == nil {
		open = log.head().open()
	}
	a, chosen, wrong, what := w.answers(op, open)
	if row != nil && a.Plain() && row.asked && w.unclear(op, row) {
		a, wrong, what = sesAnswers{}, false, "nothing"
	}
	want := w.predict(op, cfg, func(x *refOp) sesWant {
		log := w.ref[name].clone()
		switch {
		case log == nil:
			return sesWant{refused: graph.ErrUnknown}
		case row != nil && (a.Plain() && !row.asked || a.ByID()) || row == nil && wrong:
			return sesWant{log: w.ref[name], refused: graph.ErrAnswer}
		case row != nil:
			if log.fork(row); a.Plain() {
				x.floating = &a.text
			}
		}
		for _, q := range slices.SortedFunc(maps.Keys(chosen), func(a, b *refQuestion) int { return strings.Compare(a.ID, b.ID) }) {
			if !log.head().answer(q, chosen[q]) {
				panic("the reference has no such question")
			}
		}
		return sesWant{log: log, end: x.run(w.spec, log, "", nil, false)}
	})
	w.say("resume %s with %s%s", name, what, describeRun(op, cfg, want.op))
	return w.settle(op, name, cfg, want, func(ctx context.Context) sesGot {
		if op.Stream {
			return sesStream(w.g.StreamResume(ctx, a.Answers, cfg))
		}
		return sesInvoke(w.g.Resume(ctx, a.Answers, cfg))
	})
}

// sesAnswers are answers of which is known how they were made.
type sesAnswers struct {
	graph.Answers
	how, text string
}

func (a *sesAnswers) Plain() bool { return a.how == "plain" }
func (a *sesAnswers) ByID() bool  { return a.how == "by id" }

// unclear reports whether several tasks run at once where a plain answer is
// taken behind a fork: which of them asks first is not fixed.
func (w *sesWorld) unclear(op *sesOp, row *refRow) bool {
	x, text, cfg := &refOp{exit: op.Dur == graph.DurabilityExit}, "yes", &graph.RunConfig{}
	w.lists(op, cfg, x)
	x.floating = &text
	log := &refLog{}
	log.fork(row)
	x.run(w.spec, log, "", nil, false)
	return x.unclear
}

// answers chooses what to answer.
func (w *sesWorld) answers(op *sesOp, open []*refQuestion) (a sesAnswers, chosen map[*refQuestion]string, wrong bool, what string) {
	texts := []string{"yes", "no", "maybe"}
	d, mode := dice(op.N[2]), op.N[0]%10
	if op.Kind == "resume" {
		if op.N[0]%12 > 0 {
			return sesAnswers{}, nil, false, "nothing"
		}
		return sesAnswers{Answers: graph.AnswerByID(nil), how: "by id"}, nil, false, "no answers by id"
	}
	if mode < 3 || len(open) == 1 && mode < 6 {
		text := texts[d.roll(3)]
		if len(open) == 1 {
			chosen = map[*refQuestion]string{open[0]: text}
		}
		return sesAnswers{graph.Answer(text), "plain", text}, chosen, len(open) != 1, "the plain answer " + text
	}
	chosen, byID := map[*refQuestion]string{}, map[string]any{}
	for _, q := range open {
		if mode < 6 || d.in(1, 2) {
			chosen[q] = texts[d.roll(3)]
			byID[q.ID] = chosen[q]
		}
	}
	if mode == 9 {
		byID["nonsense"], wrong = "yes", true
		if len(w.seen) > 0 {
			delete(byID, "nonsense")
			id := w.seen[d.roll(len(w.seen))]
			if byID[id] = "yes"; slices.ContainsFunc(open, func(q *refQuestion) bool { return q.ID == id }) {
				byID["nonsense"] = "yes"
			}
		}
	}
	return sesAnswers{Answers: graph.AnswerByID(byID), how: "by id"}, chosen, wrong, fmt.Sprint("answers ", byID)
}

// settle lets the engine do a run and compares.
func (w *sesWorld) settle(op *sesOp, name string, cfg *graph.RunConfig, want sesWant, run func(context.Context) sesGot) error {
	w.watch.begin(want.op.drainBy)
	if want.op.drainBy != "" {
		cfg.Drain = w.watch.drain
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if op.N[4]%2 == 0 {
		ctx = context.Background()
	}
	got := run(ctx)
	if want.log != nil {
		w.ref[name] = want.log
	}
	w.nodes += len(want.op.ran)
	return errors.Join(w.compareRun(want, &got, name), sameSet("nodes did", w.watch.done(), want.op.ran))
}
