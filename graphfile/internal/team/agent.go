package team

import (
	"math"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
)

// Node is what an agent has as a node of the graph.
type Node struct {
	Retry   *graph.RetryPolicy
	Timeout time.Duration
}

// agent reads one agent.
func (r *reader) agent(e source.Entry) *Agent {
	a := &Agent{Profile: handoffs.Profile{ID: e.Key}, Pos: e.KeyPos}
	if e.Key == "" {
		r.Rep.Errorf(e.KeyPos, "an agent needs a name")
	}
	f := r.Rep.Fields(orEmpty(e.Value), "an agent")
	p := &a.Profile
	p.Name, _ = f.Text("name")
	p.Icon, _ = f.Text("icon")
	p.Color, _ = f.Text("color")
	p.Description, _ = f.Text("description")
	p.Specialization, _ = f.Text("specialization")
	p.Capabilities, p.Examples = texts(f, "capabilities"), texts(f, "examples")
	p.System, _ = f.Bool("system")
	p.Selectable, _ = f.Bool("selectable")
	p.Refuses = !yesUnless(f, "accepts")
	p.Unavailable = !yesUnless(f, "available")
	p.Hidden, _ = f.Bool("hidden")
	p.MaxConcurrent = count(f, "max_concurrent", 1)
	p.External, _ = f.Bool("external")
	p.Conversational, _ = f.Bool("conversational")
	p.Turns = count(f, "max_iterations", 1)
	r.costs(f, p)
	p.Result, _ = f.Text("result")
	a.Node.Retry = task.ReadRetry(r.Page, f)
	a.Node.Timeout, _ = f.Duration("timeout", 1, task.Longest)
	f.AtMostOne("turns", "model")
	a.Script = r.script(f, e.Key)
	if a.Model = agent.Read(r.Page, f, r.Kit); a.Model != nil {
		a.Model.Compile(r.Page, r.scriptScope())
	}
	f.Done()
	return a
}

// costs reads what routers and grants go by.
func (r *reader) costs(f *source.Fields, p *handoffs.Profile) {
	if w, ok := f.Float("weight", 0, 1000); ok {
		if p.Weight = w; w == 0 {
			p.Weight = -1
		}
	}
	p.Cost, _ = f.Float("cost", 0, math.MaxFloat64)
	if f.Has("grants") {
		p.Grants = append([]string{}, texts(f, "grants")...)
	}
}

// yesUnless reads true or false; without the key it is true.
func yesUnless(f *source.Fields, key string) bool {
	v, ok := f.Bool(key)
	return v || !ok
}

// count reads a whole number; 0 if it is not there.
func count(f *source.Fields, key string, least int64) int {
	n, _ := f.Int(key, least, math.MaxInt32)
	return int(n)
}

// registry makes the registry of all agents.
func (r *reader) registry(t *Team) {
	profiles := make([]handoffs.Profile, len(t.Agents))
	for i, a := range t.Agents {
		profiles[i] = a.Profile
	}
	reg, err := handoffs.NewRegistry(nil, profiles...)
	if err != nil {
		if !r.Rep.Failed() {
			r.Rep.Errorf(r.Agents.Pos, "%v", err)
		}
		reg = &handoffs.Registry{}
	}
	t.Policy.Registry = reg
}
