package handoffs_test

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// rndCheck looks at what must hold behind every step, whatever the program.
type rndCheck struct {
	p    *rndProgram
	seen int // entries of the log that were looked at
	life map[string]*rndLife
	made int // handoffs that were accepted
	over int // tokens that turns may have cost more than was left
}

// rndLife is a handoff's life as the log tells it.
type rndLife struct {
	kind   handoffs.Kind
	at     handoffs.Status
	final  int
	accept bool
}

// rndOrder is the order of statuses; final ones come last.
var rndOrder = map[handoffs.Status]int{
	handoffs.Requested: 1, handoffs.Validated: 2, handoffs.AwaitingApproval: 3, handoffs.PendingAccept: 4, handoffs.Accepted: 5, handoffs.Running: 6,
}

const rndFinal = 9

// step looks at the state behind a step.
func (c *rndCheck) step(s *rndState) error {
	if c.life == nil {
		c.life = map[string]*rndLife{}
	}
	for ; c.seen < len(s.HandoffLog); c.seen++ {
		e := &s.HandoffLog[c.seen]
		if err := c.entry(e); err != nil {
			return fmt.Errorf("entry %d (%s): %w", e.Seq, rndJSON(e), err)
		}
	}
	if err := c.desk(&s.Handoffs); err != nil {
		return fmt.Errorf("%w: %s", err, rndJSON(s.Handoffs))
	}
	return nil
}

// entry looks at a new entry of the log.
func (c *rndCheck) entry(e *handoffs.Entry) error {
	if e.Seq != c.seen+1 {
		return fmt.Errorf("it is the %d. one", c.seen+1)
	}
	if e.Handoff == "" {
		return nil
	}
	l := c.life[e.Handoff]
	if l == nil {
		if e.Record == nil {
			return errors.New("the first entry of a handoff has no record")
		}
		l = &rndLife{kind: e.Record.Kind}
		c.life[e.Handoff] = l
	} else if e.Record != nil {
		return errors.New("a later entry has a record")
	}
	for _, status := range e.Stages {
		if err := l.pass(status); err != nil {
			return err
		}
		if status == handoffs.Accepted {
			c.made++
		}
	}
	return nil
}

// pass takes the next status of a handoff.
func (l *rndLife) pass(status handoffs.Status) error {
	order := rndOrder[status]
	if order == 0 {
		order = rndFinal
		l.final++
	}
	before := rndOrder[l.at]
	if before == 0 && l.at != "" || order <= before {
		return fmt.Errorf("%s behind %s", status, l.at)
	}
	if status == handoffs.Accepted {
		l.accept = true
	}
	if l.at == "" && status != handoffs.Requested {
		return fmt.Errorf("the life begins with %s", status)
	}
	l.at = status
	return nil
}

// desk looks at what is open.
func (c *rndCheck) desk(d *handoffs.Desk) error {
	frames, waits := map[string]*handoffs.Frame{}, map[string]int{}
	roots := 0
	for i := range d.Frames {
		f := &d.Frames[i]
		if frames[f.ID] != nil {
			return fmt.Errorf("two frames %s", f.ID)
		}
		frames[f.ID] = f
		if f.Caller == "" && !f.Detached {
			roots++
		}
		if f.Caller != "" && f.Group == "" {
			waits[f.Caller]++
		}
	}
	if len(d.Frames) > 0 && roots != 1 {
		return fmt.Errorf("%d frames talk with the user", roots)
	}
	if err := c.groups(d, frames, waits); err != nil {
		return err
	}
	for i := range d.Queue {
		o := &d.Queue[i]
		if o.Record.Kind == handoffs.Call && !o.Frame.Detached {
			waits[o.Source]++
		}
	}
	for _, f := range frames {
		if f.Caller != "" && (frames[f.Caller] == nil || frames[f.Caller].State != handoffs.FrameCalling) {
			return fmt.Errorf("frame %s has no caller that waits", f.ID)
		}
		if f.Waits != waits[f.ID] {
			return fmt.Errorf("frame %s waits for %d results, %d are open", f.ID, f.Waits, waits[f.ID])
		}
		if f.Waits > 0 && f.State != handoffs.FrameCalling {
			return fmt.Errorf("frame %s waits for results and is %s", f.ID, f.State)
		}
	}
	if err := c.budgets(d, frames); err != nil {
		return err
	}
	return c.counters(d)
}

// budgets looks whether tokens are promised that are not there: for every frame
// with a bound, and for the session, what was spent and what was promised is
// not more than was granted.
func (c *rndCheck) budgets(d *handoffs.Desk, frames map[string]*handoffs.Frame) error {
	promised := map[string]int{}
	promise := func(limits handoffs.Limits, spent int, caller string) {
		if limits.Tokens <= 0 {
			return
		}
		for caller != "" && frames[caller].Limits.Tokens == 0 {
			caller = frames[caller].Caller
		}
		promised[caller] += max(0, limits.Tokens-spent)
	}
	for _, f := range frames {
		promise(f.Limits, f.Spent.Tokens, f.Caller)
	}
	for i := range d.Queue {
		o := &d.Queue[i]
		from := o.Source
		if o.Frame.Detached && o.Record.Kind != handoffs.Transfer && o.Record.Kind != handoffs.Escalate {
			from = "" // nobody waits for what it begins
		}
		promise(o.Frame.Limits, 0, from)
	}
	for _, f := range frames {
		if granted := max(0, f.Limits.Tokens); f.Limits.Tokens != 0 && f.Spent.Tokens+promised[f.ID] > granted+c.over {
			return fmt.Errorf("frame %s was granted %d tokens, spent %d and promised %d", f.ID, granted, f.Spent.Tokens, promised[f.ID])
		}
	}
	if c.p.Tokens > 0 && d.Spent.Tokens+promised[""] > c.p.Tokens+c.over {
		return fmt.Errorf("the session was granted %d tokens, spent %d and promised %d", c.p.Tokens, d.Spent.Tokens, promised[""])
	}
	return nil
}

// groups looks at the spawns that are not joined.
func (c *rndCheck) groups(d *handoffs.Desk, frames map[string]*handoffs.Frame, waits map[string]int) error {
	open := map[string]int{}
	for _, f := range frames {
		if f.Group != "" && !f.Detached {
			open[f.Group+"/"+f.Branch]++
		}
	}
	for i := range d.Queue {
		o := &d.Queue[i]
		if o.Record.Kind == handoffs.Spawn && !o.Frame.Detached {
			open[o.Frame.Group+"/"+o.Frame.Branch]++
		}
	}
	for _, g := range d.Groups {
		waits[g.Caller]++
		if frames[g.Caller] == nil {
			return fmt.Errorf("the caller of group %s is gone", g.ID)
		}
		for _, p := range g.Parts {
			key := g.ID + "/" + p.Branch
			if want := map[bool]int{false: 1}[p.Done]; open[key] != want {
				return fmt.Errorf("branch %s of group %s has %d frames", p.Branch, g.ID, open[key])
			}
			delete(open, key)
		}
	}
	for key := range open {
		return fmt.Errorf("branch %s has no group", key)
	}
	return nil
}

// counters looks whether the desk counts what the log says.
func (c *rndCheck) counters(d *handoffs.Desk) error {
	if err := same("handoffs counted", c.made, d.Counts["handoffs"]); err != nil {
		return err
	}
	if c.p.Cap > 0 && d.Counts["handoffs"] > c.p.Cap {
		return fmt.Errorf("%d handoffs, the cap is %d", d.Counts["handoffs"], c.p.Cap)
	}
	return same("entries", c.seen, d.Seq)
}

// end looks at a session that is over: every handoff has come to its end, once.
func (c *rndCheck) end(s *rndState) error {
	if !rndOver(&s.Handoffs) {
		return nil
	}
	for id, l := range c.life {
		if l.final != 1 {
			return fmt.Errorf("handoff %s (%s) is %s and had %d last statuses", id, l.kind, l.at, l.final)
		}
	}
	if err := answered(s.Messages); err != nil {
		return err
	}
	left := s.Handoffs
	left.Counts = nil
	if n := len(rndJSON(left)); n > 1500 {
		return fmt.Errorf("the desk has %d bytes, and nothing is open: %s", n, rndJSON(left))
	}
	if s.Handoffs.Owner != s.Handoffs.Active {
		return fmt.Errorf("owner is %s, active %s", s.Handoffs.Owner, s.Handoffs.Active)
	}
	return nil
}

// answered looks whether every tool call has an answer, one.
func answered(ms []state.Message) error {
	calls, answers := map[string]int{}, map[string]int{}
	for _, m := range ms {
		for _, c := range m.ToolCalls {
			calls[c.ID]++
		}
		if m.Role == state.RoleTool {
			answers[m.ToolCallID]++
		}
	}
	for _, m := range ms {
		for _, c := range m.ToolCalls {
			if answers[c.ID] != 1 {
				return fmt.Errorf("the tool call %s (%s) of %s has %d answers", c.ID, c.Args, m.Name, answers[c.ID])
			}
		}
		if m.Role == state.RoleTool && calls[m.ToolCallID] == 0 {
			return fmt.Errorf("the answer %q is to no call", m.Text())
		}
	}
	return nil
}
