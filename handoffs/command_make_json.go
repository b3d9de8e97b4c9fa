package handoffs

import (
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/internal/jsonwrite"
)

// Encode writes the command as JSON, as ParseCommand reads it; equal commands
// give equal bytes. An empty Type is written as CommandType. A payload that
// holds other values than package state keeps in any, text that is not UTF-8
// and nesting deeper than 100 levels are errors, told with their path in a
// *CommandError.
func (c Command) Encode() (json.RawMessage, error) {
	room := 160 + len(c.Target) + len(c.Explanation) + len(c.Intent) + len(c.Task) + 32*len(c.Payload)
	w := lenient(room)
	for w.Pass() {
		w.commandMembers(&c)
	}
	if problems := w.told(); problems != nil {
		return nil, &CommandError{Problems: problems}
	}
	return w.Buf, nil
}

// MarshalJSON is Encode.
func (c Command) MarshalJSON() ([]byte, error) { return c.Encode() }

// lenient writes what people and programs made, with the bounds of what is read.
func lenient(room int) codec {
	return codec{jsonwrite.Writer{Buf: make([]byte, 0, room), Loose: true, Most: mostJSONProblems + 1, Deep: mostJSONDepth}}
}

// told returns the problems as they are told.
func (c *codec) told() []string {
	var all jsonProblems
	for _, p := range c.Problems() {
		if p.Path != "" {
			p.Text = shortPath(p.Path) + ": " + p.Text
		}
		all.add(p.Text)
	}
	return all.problems
}

func (c *codec) commandMembers(x *Command) {
	start := c.Open("")
	if x.Type != "" && x.Type != CommandType {
		c.Fail(`,"type":`, fmt.Sprintf("want %q, got %q", CommandType, shortJSON(x.Type)))
	}
	c.Must(`,"type":`, CommandType)
	c.Text(`,"kind":`, string(x.Kind))
	c.Must(`,"targetAgentId":`, x.Target)
	c.Text(`,"capability":`, x.Capability)
	c.Texts(`,"requiredCapabilities":`, x.Needs)
	c.Text(`,"reason":`, string(x.Reason))
	c.Text(`,"explanation":`, x.Explanation)
	c.Text(`,"userIntent":`, x.Intent)
	c.Values(`,"payload":`, x.Payload)
	c.Text(`,"task":`, x.Task)
	c.Flag(`,"returnControl":`, x.ReturnControl)
	c.Text(`,"priority":`, string(x.Priority))
	c.Text(`,"actor":`, string(x.Actor))
	c.Text(`,"planStepId":`, x.PlanStep)
	c.Text(`,"class":`, x.Class)
	c.Text(`,"workflowState":`, x.State)
	c.Text(`,"trigger":`, x.Trigger)
	c.Text(`,"traceId":`, x.Trace)
	c.List(`,"branches":`, len(x.Branches), func(i int) { c.branch(&x.Branches[i]) })
	c.join(`,"join":`, &x.Join)
	c.Text(`,"token":`, x.Token)
	if x.Result != nil {
		c.outcome(`,"result":`, x.Result)
	}
	c.until(`,"until":`, x.Until)
	c.usage(`,"usage":`, &x.Usage)
	c.limits(`,"budget":`, &x.Budget)
	c.Shut(start)
}

func (c *codec) branch(b *Branch) {
	start := c.Open("")
	c.Text(`,"name":`, b.Name)
	c.Text(`,"targetAgentId":`, b.Target)
	c.Text(`,"capability":`, b.Capability)
	c.Text(`,"task":`, b.Task)
	c.Values(`,"payload":`, b.Payload)
	c.limits(`,"budget":`, &b.Budget)
	c.Shut(start)
}
