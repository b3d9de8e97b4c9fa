package handoffs

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Event is what handoff rules answer: a turn of an agent that ended, with or
// without a trigger.
type Event struct {
	ID      string         // with a rule's group the key under which it fires once; "": it may fire again
	Agent   string         // whose turn it was
	Trigger string         // "": none
	Payload map[string]any // of the trigger
	State   string         // of the workflow; "": as its machine begins
	Fired   []string       // the keys of the rules that fired before
	Counts  map[string]int // as Desk.Counts: "rule:NAME" is how many handoffs a rule has made
}

// Firing is what rules make of an Event.
type Firing struct {
	Rule    *Rule // that fired; nil: none
	Command Command
	After   time.Duration // how long the handoff waits before it begins
	// Err is why the command cannot be carried out, an *Error; nil: nothing
	// speaks against it.
	Err   error
	Why   []string // how it came to it, for people: what fired and what did not
	Fired []string // the keys of Event.Fired and that of the firing
	Also  []Firing // of other groups
}

// fire chooses among the rules that answer an event: of each group the first
// one in order whose condition holds. It is pure.
func (r *Rules) fire(ev *Event, facts Facts, m *Machine) Firing {
	c := &ruleChoice{rules: r, ev: ev, m: m, facts: facts, payload: ev.Payload}
	c.see = c.fact
	var room [16]int
	answering, others := r.answering(ev, room[:0])
	for _, i := range answering {
		c.try(&r.List[i])
	}
	for _, i := range others {
		c.say(r.List[i].Name, " did not: the turn was that of ", ev.Agent)
	}
	return c.firing()
}

// answering returns the places of the rules that answer an event, in order,
// and those of rules that answer its trigger from other agents.
func (r *Rules) answering(ev *Event, room []int) (places, others []int) {
	places = room
	for i := range r.List {
		rule := &r.List[i]
		if len(rule.Triggers) > 0 && !slices.Contains(rule.Triggers, ev.Trigger) {
			continue
		}
		if len(rule.From) == 0 || slices.Contains(rule.From, ev.Agent) {
			places = append(places, i)
		} else if len(rule.Triggers) > 0 {
			others = append(others, i)
		}
	}
	r.order(places)
	return places, others
}

// ruleChoice is the work on one event.
type ruleChoice struct {
	rules   *Rules
	ev      *Event
	m       *Machine
	facts   Facts
	payload map[string]any // that the facts tell: of the trigger, then of the command
	see     Facts          // what rules see

	fired  []Firing
	groups []string // of fired, side by side
	why    []string
}

// fact is a fact as rules see it.
func (c *ruleChoice) fact(name string) (any, bool) {
	switch name {
	case "trigger":
		return c.ev.Trigger, true
	case "payload":
		return c.payload, true
	}
	if c.facts == nil {
		return nil, false
	}
	return c.facts(name)
}

func (c *ruleChoice) say(parts ...string) { c.why = append(c.why, strings.Join(parts, "")) }

// try lets a rule fire if its group is free and its condition holds.
func (c *ruleChoice) try(r *Rule) {
	group := r.group(c.ev.Trigger)
	if i := slices.Index(c.groups, group); i >= 0 {
		c.say(r.Name, " was not tried: ", c.fired[i].Rule.Name, " came first")
		return
	}
	key := ruleKey(c.ev.ID, group)
	if c.ev.ID != "" && slices.Contains(c.ev.Fired, key) {
		c.say(r.Name, " did not: a rule of ", explainGroup(group), " has fired for this event")
		return
	}
	made := c.ev.Counts["rule:"+r.Name]
	if r.Retry != nil && !r.Retry.left(made+1) {
		c.say(r.Name, " did not: it has retried ", strconv.Itoa(made), " times")
		return
	}
	holds, because, err := r.When.test(c.see)
	if err == nil && !holds {
		c.say(r.Name, " did not: ", because)
		return
	}
	because = c.because(r, because)
	f := c.make(r, because, made, err)
	c.groups, c.fired = append(c.groups, group), append(c.fired, f)
	c.say(because)
	if f.Err != nil {
		c.say(r.Name, " cannot hand over: ", f.Err.(*Error).Message)
	}
}

// because tells why a rule fired.
func (c *ruleChoice) because(r *Rule, because string) string {
	switch {
	case because != "":
	case c.ev.Trigger != "" && len(r.Triggers) > 0:
		because = c.ev.Agent + " told " + c.ev.Trigger
	default:
		because = "a turn of " + c.ev.Agent + " ended"
	}
	return r.Name + " fired because " + because
}

// firing puts the result together.
func (c *ruleChoice) firing() Firing {
	if len(c.fired) == 0 {
		if len(c.why) == 0 && c.ev.Trigger != "" {
			c.say("no rule answers ", c.ev.Trigger)
		}
		return Firing{Why: c.why, Fired: c.ev.Fired}
	}
	for i := range c.fired {
		c.fired[i].Why = c.why
	}
	f := c.fired[0]
	if len(c.fired) > 1 {
		f.Also = c.fired[1:]
	}
	f.Fired = slices.Clip(c.ev.Fired)
	if c.ev.ID != "" {
		for _, group := range c.groups {
			f.Fired = append(f.Fired, ruleKey(c.ev.ID, group))
		}
	}
	return f
}

func ruleKey(event, group string) string { return event + "/" + group }
