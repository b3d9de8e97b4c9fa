package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// AgentConfig holds what an agent is made of. Model is required, and Messages
// for an agent outside of a team; the rest may be left out.
type AgentConfig[S any] struct {
	// Name is that of its messages; "": the node's.
	Name  string
	Model model.Model
	// Instructions are the system message. Prompt, if it is not nil, makes them
	// of the state instead; it must be pure.
	Instructions string
	Prompt       func(s S) (string, error)
	// Messages is where the conversation is; in a team it is the team's.
	Messages Conversation[S]
	Tools    []Tool
	// Handoffs says how the model hands over; it is of use in a team alone.
	Handoffs Handoffs
	// Output holds the answer to a schema, made by JSON; nil: any text.
	Output *Output[S]
	Limits Limits
	Memory Memory
	// Usage makes writes of what the turn's model calls cost, all of them
	// together; nil: none. Events and a team's budgets count it in any case.
	Usage func(u model.Usage, calls int) []state.Write[S]

	// Parallel is how many tools of one answer run at once; 0: 8; 1 or less: one
	// after another.
	Parallel int
	// OneCall asks the model for at most one tool call an answer.
	OneCall     bool
	MaxTokens   int      // of one answer; 0: the model's default
	Temperature *float64 // nil: the model's default
	TopP        *float64
	Seed        *int64
	Stop        []string
	// Clock tells the time of messages; nil: time.Now. In a team under a virtual
	// clock it is not used.
	Clock func() time.Time
}

// Limits bound a turn of an agent. A bound that is reached is an *Exceeded
// error, which is a graph.ErrLimit; in a team the turn has failed by it.
type Limits struct {
	ModelCalls int           // 0: 25; less: no bound
	ToolCalls  int           // 0 or less: no bound
	Tokens     int           // of all calls, asked and answered; 0 or less: no bound
	Time       time.Duration // 0 or less: no bound
	// Finish asks the model once more, without tools, to answer with what it has,
	// when ModelCalls, ToolCalls or Tokens are reached, instead of failing.
	Finish bool
}

// Conversation reads and writes the messages of a state. Talk makes one.
type Conversation[S any] interface {
	Of(s *S) []state.Message
	Add(ms ...state.Message) state.Write[S]
	Replace(ms []state.Message) state.Write[S]
}

// Talk makes a Conversation of a handle, and of the accessor that the handle was
// made with.
func Talk[S any](handle *state.Messages[S], ref func(*S) *[]state.Message) Conversation[S] {
	return talk[S]{handle, ref}
}

type talk[S any] struct {
	*state.Messages[S]
	ref func(*S) *[]state.Message
}

// Of returns the messages of a state.
func (t talk[S]) Of(s *S) []state.Message { return *t.ref(s) }

// Agent is a model with instructions and tools. Its Node asks the model, runs
// the tools that it calls, and asks again, until it answers or hands over. It
// does not change once it is made, and may work for any number of runs at once.
//
// Each call of the model and of a tool is kept as soon as it is done (see
// graph.Once): when the task runs again, after an answer to a question, a crash
// or a failure of another one, what was done is not done again.
type Agent[S any] struct {
	cfg  AgentConfig[S]
	core core
	team *handoffs.Team[S] // set by NewTeam, before the first turn
}

// NewAgent checks the configuration.
func NewAgent[S any](cfg AgentConfig[S]) (*Agent[S], error) {
	a := &Agent[S]{cfg: cfg, core: core{
		name: cfg.Name, model: cfg.Model, tools: slices.Clone(cfg.Tools), handoffs: cfg.Handoffs,
		limits: cfg.Limits, memory: cfg.Memory, parallel: cfg.Parallel, clock: cfg.Clock,
		ask: model.Request{OneCall: cfg.OneCall, MaxTokens: cfg.MaxTokens, Temperature: cfg.Temperature, TopP: cfg.TopP, Seed: cfg.Seed, Stop: cfg.Stop},
	}}
	var problems []error
	if cfg.Model == nil {
		problems = append(problems, errors.New("it needs a Model"))
	}
	if cfg.Output != nil {
		a.core.output = &cfg.Output.shape
	}
	problems = append(problems, a.core.check()...)
	if len(problems) > 0 {
		return nil, fmt.Errorf("nodes: agent %q: %w", cfg.Name, errors.Join(problems...))
	}
	a.core.info = model.InfoOf(cfg.Model)
	if a.core.info.Profile == nil {
		a.core.info.Profile = &transcript.Profile{}
	}
	return a, nil
}

// Join puts the agent into a team that was made with its Node, as NewTeam does
// for Members. It must be called before the first turn.
func (a *Agent[S]) Join(team *handoffs.Team[S]) { a.team = team }

// Node does a turn of the agent. It is a graph.Node.
func (a *Agent[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	t, err := a.turn(ctx, s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	defer t.close()
	if err := t.run(); err != nil {
		return graph.Command[S]{}, t.withCosts(err)
	}
	writes, err := a.writes(t)
	return graph.Commands[S]{}.Update(writes...), err
}

// turn begins a turn.
func (a *Agent[S]) turn(ctx context.Context, s S) (*turn, error) {
	t := &turn{core: &a.core, instructions: a.cfg.Instructions}
	var err error
	if t.info, err = graph.Task(ctx); err != nil {
		return nil, err
	}
	switch {
	case a.team != nil:
		if t.seat, err = a.team.Seat(ctx, s); err != nil {
			return nil, err
		}
		t.given, t.all = t.seat.Given, t.seat.Messages
		t.redact = a.team.Manager().Redacted
	case a.cfg.Messages == nil:
		err = fmt.Errorf("nodes: agent %q is in no team and has no Messages", a.cfg.Name)
	default:
		t.given = a.cfg.Messages.Of(&s)
		t.all = t.given
	}
	if err == nil && a.cfg.Prompt != nil {
		t.instructions, err = a.cfg.Prompt(s)
	}
	if err != nil {
		return nil, err
	}
	t.begin(context.WithValue(ctx, stateKey{}, &s))
	return t, nil
}

// writes are what a turn changes in the state.
func (a *Agent[S]) writes(t *turn) (ws []state.Write[S], err error) {
	if a.team != nil {
		xs, err := t.executions()
		if err != nil {
			return nil, err
		}
		if ws, err = a.team.Write(t.made, xs); err != nil {
			return nil, err
		}
	} else if len(t.made) > 0 {
		ws = append(ws, a.cfg.Messages.Add(t.made...))
	}
	if a.cfg.Output != nil && t.value != nil {
		more, err := a.cfg.Output.write(t.value)
		if err != nil {
			return nil, err
		}
		ws = append(ws, more...)
	}
	if a.cfg.Usage != nil && t.calls > 0 {
		ws = append(ws, a.cfg.Usage(t.spent, t.calls+t.theirs)...)
	}
	return ws, nil
}

type stateKey struct{}

// StateOf returns the state that the agent's turn began with, for tools. It
// must not be changed. False: ctx is not that of a tool of an agent over S.
func StateOf[S any](ctx context.Context) (S, bool) {
	s, ok := ctx.Value(stateKey{}).(*S)
	if !ok {
		var zero S
		return zero, false
	}
	return *s, true
}
