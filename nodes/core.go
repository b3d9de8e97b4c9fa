package nodes

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/nodes/model"
)

// core is an agent without the type of its state.
type core struct {
	name     string
	model    model.Model
	info     model.Info
	ask      model.Request // what all its requests have
	tools    []Tool
	output   *shape
	handoffs Handoffs
	limits   Limits
	memory   Memory
	parallel int
	clock    func() time.Time
}

// check tells what is wrong with the configuration.
func (c *core) check() (problems []error) {
	seen := map[string]bool{}
	for i := range c.tools {
		t := &c.tools[i]
		if err := t.check(); err != nil {
			problems = append(problems, err)
		}
		if seen[t.Name] {
			problems = append(problems, fmt.Errorf("two tools have the name %q", t.Name))
		}
		seen[t.Name] = true
	}
	if err := c.handoffs.check(seen); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// tool finds a tool that the turn may use by its name.
func (t *turn) tool(name string) *Tool {
	for i := range t.tools {
		if tool := &t.tools[i]; tool.Name == name && t.granted(tool) {
			return tool
		}
	}
	return nil
}

// granted reports whether the agent's stay lets it use a tool. In its last answer
// it has none.
func (t *turn) granted(tool *Tool) bool {
	if t.last {
		return false
	}
	if t.seat == nil || t.seat.Turn.Grants == nil {
		return true
	}
	for _, g := range t.seat.Turn.Grants {
		if g == tool.grant() {
			return true
		}
	}
	return false
}

// offered are the tools that the model is told of.
func (t *turn) offered() []model.Tool {
	var out []model.Tool
	for i := range t.tools {
		if tool := &t.tools[i]; t.granted(tool) {
			out = append(out, model.Tool{Name: tool.Name, Description: tool.Description, Schema: tool.schema()})
		}
	}
	return append(out, t.ways.tools...)
}

// anyObject is the schema of a tool that takes whatever it is given.
var anyObject = json.RawMessage(`{"type":"object"}`)
