package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// rndOutcome is what the engine said about one run.
type rndOutcome struct {
	res graph.Result[refState] // of Invoke
	err error
	log []string // of Stream
}

// runSeeds runs random graphs and stops at the first that differs.
func runSeeds(t *testing.T, count int, one func(seed uint64) (string, error)) {
	t.Helper()
	began, tally := time.Now(), map[string]int{}
	for seed := range uint64(count) {
		end, err := one(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tally[end]++
	}
	noRunsLeft(t)
	t.Logf("%d graphs in %v: %v", count, time.Since(began).Round(time.Millisecond), tally)
}

// noRunsLeft fails if goroutines of runs do not end.
func noRunsLeft(t *testing.T) {
	t.Helper()
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		stacks := string(buf[:runtime.Stack(buf, true)])
		left := strings.Contains(stacks, "graph.(*run)") || strings.Contains(stacks, "graph.(*crew)")
		if !left {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines of runs are left:\n%s", stacks)
		}
	}
}

func TestRandomRunsDoWhatTheReferenceDoes(t *testing.T) {
	runSeeds(t, rndCount(t, 1500), func(seed uint64) (string, error) { return runPlain(seed, newSpec(seed)) })
}

func TestRandomSubgraphsDoWhatTheReferenceDoes(t *testing.T) {
	runSeeds(t, rndCount(t, 800), func(seed uint64) (string, error) { return runPlain(seed, newNested(seed)) })
}

// tooLong is said of graphs that take too many steps for a test.
const tooLong = "too long"

// runPlain compares runs of one graph, one after the other and side by side.
func runPlain(seed uint64, s *rndSpec) (string, error) {
	s.exits = nil
	rng := rand.New(rand.NewPCG(seed, 4))
	want, b := s.run("", refState{}, s.in), newRndBuild(rng, s)
	if len(want.log) > 3000 {
		return tooLong, nil
	}
	f := newRndFields("last")
	b.goexit = rng.IntN(2) == 0
	g, err := b.graph(s, f, nil)
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if !b.goexit && rng.IntN(3) == 0 {
		ctx = context.Background()
	}
	check := func(streamed bool) error {
		got := rndRun(ctx, g, f.writes(s.in), streamed)
		if err := errors.Join(compareRun(want, &got, b.finish), b.problem()); err != nil {
			return fmt.Errorf("streamed %v: %w\n%s\nreference:\n%s\ngot:\n%s", streamed, err, s, strings.Join(want.log, "\n"), strings.Join(got.log, "\n"))
		}
		return nil
	}
	if err := errors.Join(check(true), check(false)); err != nil {
		return "", err
	}
	if rng.IntN(4) == 0 {
		b.all.limit = 0 // the gauges count all runs together
		for _, gauge := range b.gauge {
			gauge.limit = 0
		}
		other := make(chan error)
		go func() { other <- check(true) }()
		if err := errors.Join(check(false), <-other); err != nil {
			return "", fmt.Errorf("side by side: %w", err)
		}
	}
	return want.end, nil
}

func rndRun(ctx context.Context, g *graph.Graph[refState], in []state.Write[refState], streamed bool) (got rndOutcome) {
	if !streamed {
		got.res, got.err = g.Invoke(ctx, in, nil)
		return got
	}
	var events []graph.Event
	for e, err := range g.Stream(ctx, in, nil) {
		if err != nil {
			got.err = err
			break
		}
		events = append(events, e)
		switch e := e.(type) {
		case *graph.StepCommitted:
			if len(e.NS) == 0 {
				got.res.State, got.res.Step = *e.State.(*refState), e.Step
			}
		case *graph.RunFinished:
			if len(e.NS) == 0 {
				got.res.Outcome, got.res.Next = e.Outcome, e.Next
			}
		}
	}
	var err error
	if got.log, err = rndLog(events); err != nil {
		got.err = err
	}
	return got
}

// compareRun compares a run that was not cancelled.
func compareRun(want *refRun, got *rndOutcome, finish bool) error {
	last := len(want.steps) - 1
	behind := refState{} // the input alone may be a conflict
	if last >= 0 {
		behind = want.steps[last].State
	}
	if text := got.res.State.String(); text != behind.String() || got.res.Step != max(last, 0) {
		return fmt.Errorf("state of step %d %s, want of step %d %s", got.res.Step, text, last, behind)
	}
	if err := compareEnd(want, got, finish); err != nil {
		return err
	}
	if got.log == nil {
		return nil
	}
	cut := func(log []string) string {
		whole, end := want.reason == "" || finish && !strings.Contains(strings.Join(want.log, "\n"), "conflict"), len(log)
		for i, line := range log {
			if strings.HasPrefix(line, fmt.Sprintf(": %d state", last)) && !whole {
				end = i + 1
			}
		}
		text := strings.Join(log[:end], "\n")
		return strings.NewReplacer("end left", "end done", "end conflict", "end failed").Replace(text)
	}
	if a, b := cut(got.log), cut(want.log); a != b {
		return fmt.Errorf("the logs differ:\n%s\nwant:\n%s", a, b)
	}
	return nil
}

// compareEnd compares how two runs ended.
func compareEnd(want *refRun, got *rndOutcome, finish bool) error {
	outcome := map[string]graph.Outcome{"done": graph.OutcomeDone, "failed": graph.OutcomeFailed, "conflict": graph.OutcomeFailed, "limit": graph.OutcomeLimit}[want.end]
	var placed *graph.Error
	switch {
	case want.end == "done":
		if got.res.Outcome != outcome || got.err != nil {
			return fmt.Errorf("outcome %q (%v), want done", got.res.Outcome, got.err)
		}
		return nil
	case !errors.As(got.err, &placed):
		return fmt.Errorf("the error is %v, no *graph.Error", got.err)
	case want.reason != "" && want.end != "conflict" && !finish: // which of several failures came first is open
		if got.res.Outcome != graph.OutcomeFailed && got.res.Outcome != graph.OutcomeLimit {
			return fmt.Errorf("outcome %q (%v), want %q", got.res.Outcome, got.err, outcome)
		}
		return nil
	case got.res.Outcome != outcome:
		return fmt.Errorf("outcome %q (%v), want %q", got.res.Outcome, got.err, outcome)
	}
	return compareError(want, got, placed)
}

func compareError(want *refRun, got *rndOutcome, placed *graph.Error) error {
	var names []string
	for _, t := range want.next {
		names = append(names, t.Node)
	}
	switch {
	case want.reason == writtenTwice:
		if node := want.next[want.fault].Node; placed.Kind() != graph.KindInvalidUpdate || placed.Node != node {
			return fmt.Errorf("error %v of %q, want %s of %q", got.err, placed.Node, want.reason, node)
		}
		return nil
	case want.end == "conflict":
		if !errors.Is(got.err, graph.ErrInvalidUpdate) || placed.Kind() != graph.KindInvalidUpdate {
			return fmt.Errorf("error %v, want a conflict: %s", got.err, want.reason)
		}
	case want.end == "limit" && want.reason == "":
		if !errors.Is(got.err, graph.ErrRecursionLimit) || placed.Kind() != graph.KindRecursionLimit {
			return fmt.Errorf("error %v, want the recursion limit", got.err)
		}
	case !strings.HasPrefix(want.reason, "subgraph"):
		var tired *tiredError
		if errors.As(got.err, &tired) && tired.text != want.reason || tired == nil && !errors.Is(got.err, graph.ErrGoexit) {
			return fmt.Errorf("error %v, want %s", got.err, want.reason)
		}
		if node := want.next[want.fault].Node; placed.Node != node || placed.Step != len(want.steps) {
			return fmt.Errorf("error of node %q in step %d, want %q in %d", placed.Node, placed.Step, node, len(want.steps))
		}
		return nil
	default:
		return nil
	}
	if !slices.Equal(got.res.Next, names) {
		return fmt.Errorf("next %q, want %q", got.res.Next, names)
	}
	return nil
}

// TestRandomRunsAreCancelled cancels runs at random moments: what they leave
// is the state of some step, and no goroutine.
func TestRandomRunsAreCancelled(t *testing.T) {
	runSeeds(t, rndCount(t, 1500), func(seed uint64) (string, error) {
		if seed%3 == 0 {
			return runCancelled(seed, newNested(seed))
		}
		return runCancelled(seed, newSpec(seed))
	})
}

func runCancelled(seed uint64, s *rndSpec) (string, error) {
	s.exits = nil
	rng := rand.New(rand.NewPCG(seed, 5))
	want, b := s.run("", refState{}, s.in), newRndBuild(rng, s)
	if len(want.log) > 3000 {
		return tooLong, nil
	}
	f := newRndFields("last")
	g, err := b.graph(s, f, nil)
	if err != nil {
		return "", err
	}
	b.goexit = true
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	why := errors.New("enough")
	if at := int32(1 + rng.IntN(12)); rng.IntN(2) == 0 {
		b.visit = func(call int32) {
			if call == at {
				cancel(why)
			}
		}
	} else {
		go func() {
			for range at * at * 4 {
				runtime.Gosched()
			}
			cancel(why)
		}()
	}
	streamed := rng.IntN(2) == 0
	got := rndRun(ctx, g, f.writes(s.in), streamed)
	if err := errors.Join(compareCancelled(want, want, &got, b.finish, why), b.problem()); err != nil {
		return "", fmt.Errorf("streamed %v: %w\n%s\nreference:\n%s\ngot:\n%s", streamed, err, s, strings.Join(want.log, "\n"), strings.Join(got.log, "\n"))
	}
	return string(got.res.Outcome), nil
}

// compareCancelled compares a run that may have been cancelled. A cancelled
// one may have done what patient did: a node that outlives its timeout behind
// the run's end does not run into it.
func compareCancelled(want, patient *refRun, got *rndOutcome, finish bool, why error) error {
	if got.res.Outcome != graph.OutcomeCancelled && got.err != nil && got.res.Outcome == "" {
		got.res.Outcome = graph.OutcomeCancelled // it did not begin
	}
	if got.res.Outcome != graph.OutcomeCancelled {
		err := compareRun(want, got, finish)
		if want != patient && compareRun(patient, got, finish) == nil {
			return nil
		}
		return err
	}
	if !errors.Is(got.err, graph.ErrCancelled) || !errors.Is(got.err, why) {
		return fmt.Errorf("outcome cancelled, but the error is %v", got.err)
	}
	want = patient
	step, text := got.res.Step, got.res.State.String()
	if step == 0 && text == (refState{}).String() {
		return nil // it did not begin
	}
	if step >= len(want.steps) || text != want.steps[step].State.String() {
		return fmt.Errorf("cancelled behind step %d with a state of no step: %s", step, text)
	}
	left := want.next
	if step+1 < len(want.steps) {
		left = want.steps[step+1].Tasks
	}
	for _, name := range got.res.Next {
		i := slices.IndexFunc(left, func(t refTask) bool { return t.Node == name })
		if i < 0 {
			return fmt.Errorf("next %q, but step %d has no such tasks", got.res.Next, step+1)
		}
		left = slices.Delete(slices.Clone(left), i, i+1)
	}
	return nil
}

// TestRandomRunsOnAFakeClock lets nodes take time, run into timeouts, be
// repeated, be deaf and be cancelled by a deadline.
func TestRandomRunsOnAFakeClock(t *testing.T) {
	runSeeds(t, rndCount(t, 600), func(seed uint64) (end string, err error) {
		s := newSpec(seed)
		if seed%3 == 0 {
			s = newNested(seed)
		}
		synctest.Test(t, func(*testing.T) {
			end, err = runTimed(seed, s)
			time.Sleep(time.Minute) // nodes that were left behind end
		})
		return end, err
	})
}

func runTimed(seed uint64, s *rndSpec) (string, error) {
	s.exits = nil
	patient := s.run("", refState{}, s.in) // as if no node had a timeout
	s.slow()
	rng := rand.New(rand.NewPCG(seed, 6))
	want, b := s.run("", refState{}, s.in), newRndBuild(rng, s)
	if len(want.log) > 3000 {
		return tooLong, nil
	}
	b.clock, b.goexit = true, true
	f := newRndFields("last")
	g, err := b.graph(s, f, nil)
	if err != nil {
		return "", err
	}
	ctx, why := context.Background(), context.DeadlineExceeded
	if rng.IntN(2) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(rng.IntN(20)*5+1))*time.Millisecond+500*time.Microsecond)
		defer cancel()
	}
	if ctx.Done() == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx) // by which Goexit ends another goroutine than this one
		defer cancel()
	}
	b.all.limit = 0 // nodes that were left behind still count
	for _, gauge := range b.gauge {
		gauge.limit = 0
	}
	began := time.Now()
	got := rndRun(ctx, g, f.writes(s.in), rng.IntN(2) == 0)
	if end, ok := ctx.Deadline(); ok && time.Since(began) > end.Sub(began)+time.Minute { // it hangs
		return "", fmt.Errorf("it took %v with a deadline after %v", time.Since(began), end.Sub(began))
	}
	if err := errors.Join(compareCancelled(want, patient, &got, b.finish, why), b.problem()); err != nil {
		return "", fmt.Errorf("%w\n%s\nreference:\n%s\ngot:\n%s", err, s, strings.Join(want.log, "\n"), strings.Join(got.log, "\n"))
	}
	return string(got.res.Outcome), nil
}

// slow makes nodes of the reference fail that take longer than they may.
func (s *rndSpec) slow() {
	s.Act = func(node string, view refState) refAct {
		if d, _ := s.pace(node, view); s.timeout(node) > 0 && d > s.timeout(node) {
			return refAct{Fail: "subgraph or timeout"}
		}
		return s.act(node, view)
	}
	for _, sub := range s.child {
		sub.slow()
	}
}
