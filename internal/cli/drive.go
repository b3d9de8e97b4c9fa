package cli

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

// order is what a run is to do: take an input, or go on.
type order struct {
	fresh   bool
	input   []state.Write[state.Record]
	answers graph.Answers
	at      string    // a checkpoint to fork first
	from    *snapshot // where the thread stands that the run goes on with
	made    int       // supersteps that were made before a question was answered
}

// watcher follows the events of a run. An error ends the run.
type watcher interface {
	event(e graph.Event) error
}

// drive runs the graph and shows what happens, and asks on a terminal what the
// run wants to know, until a question is left unanswered.
func (r *runner) drive(ctx context.Context, f *graphfile.File, o *order) error {
	for asking := true; ; {
		sum := newSummary(r.thread, o)
		took, err := r.once(ctx, f, o, sum)
		if err != nil {
			return unwritten(err)
		}
		if end := r.notBegun(ctx, sum); end != nil {
			return end
		}
		if !asking || !r.canAsk(ctx, sum) {
			return r.end(ctx, f, sum, took)
		}
		answers := r.askAll(ctx, sum.asks)
		if len(answers) == 0 {
			return r.end(ctx, f, sum, took)
		}
		asking = len(answers) == len(sum.asks)
		if o, err = r.answered(ctx, answers, sum.made); err != nil {
			return err
		}
	}
}

// answered is the order to go on with answers that were typed.
func (r *runner) answered(ctx context.Context, answers map[string]any, made int) (*order, error) {
	from, err := r.graph.State(ctx, r.thread, "")
	return &order{answers: graph.AnswerByID(answers), from: from, made: made}, err
}

// end shows how a run ended.
func (r *runner) end(ctx context.Context, f *graphfile.File, sum *summary, took time.Duration) error {
	shown := r.output.value == "json" || r.output.value == "text" && !isAny(sum.err, graph.ErrBusy, graph.ErrChanged)
	if shown {
		if err := r.results(sum); err != nil {
			return unwritten(err)
		}
	}
	r.conclude(ctx, sum, f, took)
	if ctx.Err() != nil && sum.status == graph.OutcomeInterrupted {
		return &exit{code: ExitStopped}
	}
	if code := exitOf(sum.status); code != ExitDone {
		return &exit{code: code}
	}
	return nil
}

// once runs the graph as ordered, until it ends or pauses.
func (r *runner) once(ctx context.Context, f *graphfile.File, o *order, sum *summary) (time.Duration, error) {
	began := r.Now()
	progress := r.progressOf(f)
	r.standing(ctx, f, o.at, progress)
	told := announceStop(ctx, progress)
	watchers := []watcher{sum}
	if r.output.value == "jsonl" {
		watchers = append(watchers, &eventLog{out: r.Stdout, debug: r.debug})
	}
	watchers = append(watchers, progress, &dropping{progress})
	written := r.follow(ctx, r.hard, o, sum, watchers)
	told()
	r.standing(ctx, f, "", progress)
	return r.Now().Sub(began), errors.Join(written, progress.close())
}

// announceStop says, when the user asks to stop, that the run is about to end,
// and how to end it faster. What it returns waits until that has been said.
func announceStop(ctx context.Context, p progress) (told func()) {
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		if by := (Stopped{}); errors.As(context.Cause(ctx), &by) {
			p.say("stopping: the step at work is finished first; once more stops at once")
		}
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}

// follow runs the graph and hands every event to the watchers. It returns what
// the first of them failed with. The end of ctx drains the run, that of hard
// cancels it; a run that has not begun, as it waits for its thread, is cancelled
// by the end of ctx.
func (r *runner) follow(ctx, hard context.Context, o *order, sum *summary, watchers []watcher) error {
	run, cancel := context.WithCancelCause(hard)
	defer cancel(nil)
	var begun atomic.Bool
	defer context.AfterFunc(ctx, func() {
		if !begun.Load() {
			cancel(context.Cause(ctx))
		}
	})()
	for e, err := range r.events(run, ctx.Done(), o) {
		begun.Store(true)
		if err != nil {
			sum.fail(err)
			return nil
		}
		for _, w := range watchers {
			if err := w.event(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// events runs the graph as ordered.
func (r *runner) events(ctx context.Context, drain <-chan struct{}, o *order) iter.Seq2[graph.Event, error] {
	cfg := r.config()
	cfg.At, cfg.Drain = o.at, drain
	if o.fresh {
		return r.graph.Stream(ctx, o.input, cfg)
	}
	return r.graph.StreamResume(ctx, o.answers, cfg)
}

// notBegun is how the command ends if the run was refused because of how it was
// asked for.
func (r *runner) notBegun(ctx context.Context, sum *summary) error {
	var placed *graph.Error
	if !errors.As(sum.err, &placed) || placed.Node != "" || !isAny(sum.err, graph.ErrUnknown, graph.ErrAnswer) {
		return nil
	}
	return r.denied(ctx, sum.err, r.thread, r.kept)
}

// dropping says which tasks new input has ended.
type dropping struct{ to progress }

func (d *dropping) event(e graph.Event) error {
	if e, ok := e.(*graph.Dropped); ok {
		d.to.say("dropped: " + tally(e.Nodes))
	}
	return nil
}
