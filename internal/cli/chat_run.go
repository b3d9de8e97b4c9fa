package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// message runs the thread with a message of the user, for the agent that was
// chosen, if one was.
func (c *chat) message(ctx context.Context, text string) error {
	human, err := c.defs.Schema().Write(c.messages, []any{map[string]any{"type": string(state.RoleHuman), "content": text}})
	if err != nil {
		return &exit{ExitFailed, err}
	}
	input, agent := []state.Write[state.Record]{human}, c.agent
	if agent != "" {
		choice, err := c.defs.Team().Select(agent)
		if err != nil {
			return &exit{ExitFailed, err}
		}
		input, c.agent = append(input, choice...), ""
	}
	if err := c.run(ctx, &order{fresh: true, input: input}); err != nil {
		return err
	}
	if c.sum.made < 0 {
		c.agent = agent
		c.tell("the message is not kept")
	}
	return nil
}

// back lets agents go on that were set aside.
func (c *chat) back(ctx context.Context, token string) error {
	input, err := c.defs.Team().Input(handoffs.Command{
		Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser, Reason: handoffs.UserRequest, Token: token,
	})
	if err != nil {
		return &exit{ExitFailed, err}
	}
	return c.run(ctx, &order{fresh: true, input: input})
}

// resume goes on with answers.
func (c *chat) resume(ctx context.Context, answers graph.Answers) error {
	from, ok := c.snapshot(ctx)
	if !ok {
		return nil
	}
	return c.run(ctx, &order{answers: answers, from: from})
}

// run runs the thread as ordered and shows what happens. Errors of the run are
// told; what is returned ends the chat.
func (c *chat) run(ctx context.Context, o *order) error {
	soft, hard, over := c.attend(ctx)
	defer over()
	c.show.begin(o.fresh)
	sum := newSummary(c.thread, o)
	if o.fresh && c.sum != nil {
		sum.state = c.sum.state // of a run that does not begin
	}
	watchers := []watcher{sum, c.show}
	if c.output.value == "jsonl" {
		watchers = append(watchers, &eventLog{out: c.Stdout, debug: c.debug})
	}
	if err := c.follow(soft, hard, o, sum, watchers); err != nil {
		return unwritten(err)
	}
	c.show.end()
	c.sum, c.asked, c.due = sum, nil, false
	if sum.status == graph.OutcomeDone {
		if !c.show.spoke && !c.quiet {
			c.tell("(nothing was said)")
		}
		return nil
	}
	c.ended(sum, soft.Err())
	if s, err := c.graph.State(c.hard, c.thread, ""); err == nil {
		c.stand(s)
	}
	return nil
}

// ended tells why a run did not come to its end.
func (c *chat) ended(sum *summary, stopped error) {
	if sum.status == graph.OutcomeInterrupted {
		return
	}
	rep := &report{sum: sum, kept: c.keptOf(sum)}
	errors.As(sum.err, &rep.placed)
	head := rep.headline()
	switch at := rep.placed; {
	case stopped != nil && isAny(sum.err, graph.ErrDrained, context.Canceled):
		head = "the run was stopped"
	case at != nil && at.Node != "" && at.Node != handoffs.NodeProcess:
		head += " (in " + nodePath(at.NS, at.Node) + ")"
	}
	c.show.endLine()
	fmt.Fprintln(c.Stderr, c.inkFor(c.Terminal.Stderr).red("graphrun:"), head)
	switch {
	case isAny(sum.err, graph.ErrBusy, graph.ErrChanged):
		c.tell("%s", rep.storeAdvice())
	case isAny(sum.err, graph.ErrAnswer):
	case sum.state != nil:
		c.tell("/retry goes on from what is saved; a message goes on without it")
	}
}
