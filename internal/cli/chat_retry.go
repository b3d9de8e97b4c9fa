package cli

import (
	"context"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// retry goes on with what a run has left.
func (c *chat) retry(ctx context.Context) error {
	switch {
	case c.asked != nil:
		c.tell("the thread waits for an answer")
		return nil
	case !c.due:
		c.tell("nothing is left to do")
		return nil
	}
	from, ok := c.snapshot(ctx)
	if !ok {
		return nil
	}
	o := &order{from: from}
	if c.faulty(from) {
		if err := c.before(ctx, o); err != nil {
			c.tell("%s", cause(err))
			return nil
		}
	}
	return c.run(ctx, o)
}

// faulty tells that the agents have noted why the run fails, and that it would
// again: a resume lets an agent that has failed try again, but not where a plan is
// at work, and not past a limit.
func (c *chat) faulty(s *snapshot) bool {
	if c.defs.Team() == nil {
		return false
	}
	look, err := handoffs.Records{Schema: c.defs.Schema()}.Look(&s.Values)
	if err != nil || look.Desk == nil || look.Desk.Fault == nil {
		return false
	}
	return look.Desk.Fault.Code != handoffs.CodeFailed || slices.Contains(c.defs.Schema().Fields(), "plan_course")
}

// before lets an order begin where agents were at work the last time, so that
// they try again. Where none were it goes on as it is.
func (c *chat) before(ctx context.Context, o *order) error {
	agents := c.defs.Team().Manager().Policy().Registry
	for s, err := range c.graph.History(ctx, c.thread, nil) {
		if err != nil {
			return err
		}
		for _, node := range s.Next {
			if _, ok := agents.Get(node); !ok {
				continue
			}
			talk, err := c.conversation(&s.Values)
			if err != nil {
				return err
			}
			c.show.know(talk)
			c.tell("checkpoint %s is gone back to, where %s had a turn", s.Checkpoint, tally(s.Next))
			o.at, o.from = s.Checkpoint, s
			return nil
		}
	}
	return nil
}
