package handoffs

import (
	"context"
	"time"
)

// Batch is what a Manager works on in one step: where the session stands and
// what has come since.
type Batch struct {
	Session string // the thread's name
	Task    string // an id of the step that is the same whenever it is done again
	Desk    *Desk
	Log     Log
	// Executions are all of the state; those that were looked at are passed over.
	Executions []Execution
	Facts      Facts     // the state's fields; nil: none
	Now        time.Time // ignored under a virtual clock
	Messages   int       // how many there are
	PlanStep   string    // the id of the plan's step at work; "": none, or frames know it
	PlanOpen   bool      // there is a plan that is not done
	// Breakers are what threads share, in place of the desk's; nil: the desk's.
	// What became of them the new desk tells.
	Breakers map[string]Breaker
	// Plan is asked about the steps of a plan that have ended, and for those that
	// begin; nil: they wait. With it an error is never a reason to degrade.
	Plan func(*PlanView) (PlanSteps, error)
	// Hold lets agents wait for their turns if steps of a plan have ended, so that
	// the plan's next step is one of its own.
	Hold bool
	// Texts returns the texts of an agent's messages from a place in the
	// conversation on; nil: no agent said any.
	Texts func(agent string, from int) []string
	// Started tells that the run has just begun: turns that were at work have
	// been dropped by its input, and its message goes to whoever owns the conversation.
	Started bool
	// Speaker is the agent whose turn has ended, where agents are not sent turns
	// but work by themselves: if it has none at work it gets one, and if it has
	// no place in the conversation it takes it over, and who has it is cancelled.
	// An agent that waits for others has no turn to end. "": as the desk says.
	Speaker string
	Rulings []Answered // of people, to approvals
	Signals []Signal   // that are not in the executions
	Digest  string     // of the state, for LoopProgress
	// Context makes what an agent will be sent; nil: only the range is noted.
	// It must not keep the turn.
	Context func(p *ContextPolicy, t *Turn) (*Sent, error)
}

// Answered is a person's ruling on a handoff.
type Answered struct {
	Handoff string
	Ruling  Ruling
}

// Result is what came of a Batch.
type Result struct {
	Desk    *Desk   // a new one
	Entries []Entry // to be appended to the log
	Turns   []Turn  // to be begun, side by side
	// Asks are the approvals that people must give before anything else can
	// happen. There are no Turns then.
	Asks []Approval
	// Until is when something happens by itself, if nothing is to be begun and
	// nobody asked; zero: nothing does.
	Until time.Time
	// Waiting tells that agents wait for signals, and nothing is to be begun.
	Waiting  bool
	Messages []Reply // for the conversation
	Notices  []Notice
	// Fault is the error that the run ends with; the desk and the log are
	// stored before.
	Fault *Error
}

// Reply is a message that a handoff adds to the conversation.
type Reply struct {
	Call  string // the tool call that it answers; "": a system message
	Agent string // the agent that speaks, or made the call
	Text  string
	Error bool
}

// Notice is an event for whoever watches the run: *HandoffNotice or
// *AgentChanged.
type Notice interface {
	// LineType names the notice in event lines.
	LineType() string
}

// Step works on a batch. The desk and the log of the batch are not changed.
// An error is one of the engine or of a function that the policy was given;
// a handoff that is not accepted is none.
func (m *Manager) Step(ctx context.Context, in *Batch) (*Result, error) {
	w := m.open(ctx, in)
	err := w.run()
	if err != nil && m.p.Degrade && !w.d.Degraded && in.Plan == nil && ctx.Err() == nil {
		w = m.degraded(ctx, in, err)
		err = w.run()
	}
	if err != nil {
		return nil, err
	}
	res := w.close()
	m.giveRoom(w)
	return res, nil
}

// degraded begins a step anew without handoffs, because of an error that it
// came to with them.
func (m *Manager) degraded(ctx context.Context, in *Batch, because error) *work {
	alone := *in
	alone.Desk = in.Desk.clone()
	alone.Desk.Degraded = true
	w := m.open(ctx, &alone)
	w.add(Entry{Event: EventDegraded, From: w.d.Active, Message: because.Error()})
	return w
}

// run does what is due, in the order in which it happened: what timed out
// while the agents worked, then what came from outside, then what they did.
func (w *work) run() error {
	if w.in.Started {
		w.restart()
	}
	w.chargeTurns()
	if err := w.elapse(); err != nil {
		return err
	}
	for i := range w.in.Rulings {
		if err := w.rule(&w.in.Rulings[i]); err != nil {
			return err
		}
	}
	for i := range w.in.Signals {
		if err := w.signal(&w.in.Signals[i]); err != nil {
			return err
		}
	}
	for _, x := range w.outside {
		if err := w.external(x); err != nil {
			return err
		}
	}
	for _, f := range w.ended {
		if w.over() {
			return nil
		}
		if err := w.endTurn(f); err != nil {
			return err
		}
	}
	if w.over() {
		return nil
	}
	if err := w.advance(); err != nil || w.over() {
		return err
	}
	if err := w.drain(); err != nil {
		return err
	}
	return w.idle()
}
