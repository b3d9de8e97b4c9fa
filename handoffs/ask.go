package handoffs

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Question is what a run asks that waits for signals or for a time: answer it
// with a Signal.
type Question struct {
	Waiting []string  `json:"waiting"` // the agents
	Signals []string  `json:"signals"` // what they wait for
	Until   time.Time `json:"until,omitzero"`
}

// hear asks people for approvals, or waits for what agents wait for, and
// works on the answers.
func (t *Team[S]) hear(ctx context.Context, in *Batch, res *Result) (*Result, error) {
	next := *in
	next.Started = false
	switch {
	case len(res.Asks) > 0:
		answered, err := t.ask(ctx, res.Asks)
		if err != nil {
			return nil, err
		}
		next.Rulings = answered
	case t.cfg.Block && !res.Until.IsZero():
		if err := sleepUntil(ctx, res.Until.Sub(t.now())); err != nil {
			return nil, err
		}
	default:
		s, err := t.await(ctx, res)
		if err != nil {
			return nil, err
		}
		next.Signals = []Signal{s}
	}
	next.Now = t.now()
	return t.step(ctx, &next, nil)
}

func sleepUntil(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await asks for a signal.
func (t *Team[S]) await(ctx context.Context, res *Result) (Signal, error) {
	q := Question{Until: res.Until}
	for i := range res.Desk.Frames {
		if f := &res.Desk.Frames[i]; f.State == FrameWaiting && f.Until != nil {
			q.Waiting, q.Signals = append(q.Waiting, f.Agent), append(q.Signals, f.Until.Signals...)
		}
	}
	for i := range res.Desk.Queue {
		q.Waiting, q.Signals = append(q.Waiting, res.Desk.Queue[i].To), append(q.Signals, "accept", "refuse")
	}
	answer, err := graph.Interrupt[signalAnswer](ctx, "wait", q)
	return answer.Signal, err
}

// signalAnswer is a signal as an answer to a question of the run holds it.
type signalAnswer struct{ Signal }

// UnmarshalJSON reads an answer.
func (s *signalAnswer) UnmarshalJSON(data []byte) (err error) {
	s.Signal, err = readSignal(data)
	return err
}

// ask asks people for approvals, all at once.
func (t *Team[S]) ask(ctx context.Context, asks []Approval) ([]Answered, error) {
	rulings, errs := make([]Answered, len(asks)), make([]error, len(asks))
	for i := range asks {
		a := &asks[i]
		rulings[i].Handoff = a.Handoff
		rulings[i].Ruling, errs[i] = askOne(ctx, a, t.m.approvalOf(a).Words)
	}
	return rulings, firstWaiting(errs)
}

// askOne asks for one approval. An answer that cannot be read leaves the
// question open.
func askOne(ctx context.Context, a *Approval, words bool) (Ruling, error) {
	key := a.Handoff + "/" + strconv.Itoa(a.Asked)
	if words {
		r, err := graph.Interrupt[wordRuling](ctx, key, a)
		return r.Ruling, err
	}
	r, err := graph.Interrupt[strictRuling](ctx, key, a)
	return r.Ruling, err
}

// strictRuling and wordRuling are rulings as answers to a question of the run
// hold them.
type (
	strictRuling struct{ Ruling }
	wordRuling   struct{ Ruling }
)

// UnmarshalJSON reads an answer.
func (r *strictRuling) UnmarshalJSON(data []byte) (err error) {
	r.Ruling, err = readRuling(data, &ApprovalPolicy{})
	return err
}

// UnmarshalJSON reads an answer of which "yes" approves.
func (r *wordRuling) UnmarshalJSON(data []byte) (err error) {
	r.Ruling, err = readRuling(data, &ApprovalPolicy{Words: true})
	return err
}

func readRuling(data []byte, p *ApprovalPolicy) (Ruling, error) {
	v, err := state.ParseAny(data)
	if err != nil {
		return Ruling{}, err
	}
	return ParseRuling(v, p)
}

// firstWaiting prefers the errors of questions that are open to others.
func firstWaiting(errs []error) error {
	for _, err := range errs {
		if err != nil && errors.Is(err, graph.ErrInterrupted) {
			return err
		}
	}
	return errors.Join(errs...)
}
