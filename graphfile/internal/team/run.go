package team

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Done is what an agent did in a turn.
type Done struct {
	Usage    handoffs.Usage
	Tools    []Called
	Say      []string
	Writes   []state.Write[state.Record]
	Commands []handoffs.Command
}

// Called is a call of an ordinary tool.
type Called struct {
	Name   string
	Input  any
	Output string
	Failed bool
}

// In is what a turn begins with.
type In struct {
	Record  state.Record
	Turn    handoffs.Turn
	Virtual bool // time does not pass by itself: the turn does not wait
	// Messages makes what the agent is given of the conversation.
	Messages func() ([]state.Message, error)
}

// Run does a turn of the agent. A nil Script does nothing.
func (s *Script) Run(ctx context.Context, in *In) (*Done, error) {
	if s == nil {
		return &Done{}, nil
	}
	v, err := view(in, s.agent, s.reads)
	if err != nil {
		return nil, err
	}
	e, err := s.choose(v, max(in.Turn.Number, 1))
	if err != nil {
		return nil, err
	}
	if !in.Virtual {
		if err := task.Pause(ctx, e.takes); err != nil {
			return nil, err
		}
	}
	done := &Done{Usage: handoffs.Usage{Time: e.takes}}
	return done, e.run(ctx, v, max(in.Turn.Attempt, 1), done)
}

// Instructions are what the model of an agent is told in a turn.
func (a *Agent) Instructions(in *In) (string, error) {
	v, err := view(in, a.ID, a.Model.Reads())
	if err != nil {
		return "", err
	}
	return a.Model.Prompt(v)
}

// view is what an agent's expressions see. The messages are made only for those
// that name them.
func view(in *In, agent string, reads bool) (*task.View, error) {
	v := &task.View{Record: in.Record}
	turn := turnValue(&in.Turn)
	if reads {
		ms, err := in.Messages()
		if err != nil {
			return nil, err
		}
		turn["messages"] = messageValues(ms)
	}
	v.Bind(turnName, turn)
	v.Bind(agentName, agent)
	return v, nil
}

// choose finds the entry for a turn: the first one that is for its number or
// whose condition holds.
func (s *Script) choose(v *task.View, number int) (*entry, error) {
	for i := range s.turns {
		e := &s.turns[i]
		if e.when == nil {
			if e.number == number || e.last && number > e.number {
				return e, nil
			}
			continue
		}
		holds, err := e.when.Holds(v)
		if err != nil {
			return nil, &page.EvalError{Place: e.place, Err: err}
		}
		if holds {
			return e, nil
		}
	}
	return nil, &page.EvalError{Place: s.place, Err: fmt.Errorf("none of the entries of agent %q holds for its turn %d; one without \"when\" at the end is for all others", s.agent, number)}
}

// run does what the entry says, in the order of the contract.
func (e *entry) run(ctx context.Context, v *task.View, attempt int, done *Done) error {
	var err error
	if done.Usage.Tokens, err = e.tokens.number(v); err != nil {
		return err
	}
	if done.Usage.Calls, err = e.calls.number(v); err != nil {
		return err
	}
	if err := e.fail.Check(ctx, v, attempt); err != nil {
		return err
	}
	for i := range e.asks {
		if err := e.asks[i].Put(ctx, v); err != nil {
			return err
		}
	}
	return e.do(v, done)
}

// do calls the tools, speaks, writes and ends the turn.
func (e *entry) do(v *task.View, done *Done) error {
	for i := range e.tools {
		called, err := e.tools[i].call(v)
		if err != nil {
			return err
		}
		done.Tools = append(done.Tools, called)
	}
	for _, s := range e.say {
		text, err := s.text(v)
		if err != nil {
			return err
		}
		done.Say = append(done.Say, text)
	}
	if e.update != nil {
		var err error
		if done.Writes, err = e.update(v); err != nil {
			return err
		}
	}
	for _, a := range e.acts {
		c, err := a.command(v)
		if err != nil {
			return err
		}
		done.Commands = append(done.Commands, c)
	}
	return nil
}

// call makes the call of a tool with its result.
func (t *tool) call(v *task.View) (Called, error) {
	c := Called{Name: t.name}
	var err error
	if c.Input, err = t.input.any(v); err != nil {
		return c, err
	}
	if t.error != nil {
		c.Failed = true
		c.Output, err = t.error.text(v)
		return c, err
	}
	c.Output, err = t.output.text(v)
	return c, err
}
