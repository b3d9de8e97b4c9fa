package team

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
)

// machine reads the section workflow: {start, final, failed, states,
// transitions}.
func (r *reader) machine() *handoffs.Machine {
	f := r.Rep.Fields(r.Workflow, `"workflow"`)
	m := &handoffs.Machine{States: map[string]string{}, Allowed: map[string][]string{}}
	f.Need("states")
	for _, e := range f.Entries("states") {
		m.States[e.Key] = ""
		if e.Value.Kind != source.Null {
			m.States[e.Key] = r.agentName(e.Value, quote(e.Key))
		}
	}
	if f.Need("start") != nil {
		m.Start = r.stateAt(f, "start")
	}
	m.Final, m.Failed = r.stateNamesAt(f, "final"), r.stateAt(f, "failed")
	for _, e := range f.Entries("transitions") {
		key := &source.Node{Kind: source.String, Text: e.Key, Pos: e.KeyPos}
		from := r.stateName(key, `"transitions"`)
		for _, n := range source.OneOrMany(e.Value) {
			if to := r.stateName(n, quote(e.Key)); to != "" && from != "" {
				m.Allowed[from] = append(m.Allowed[from], to)
			}
		}
	}
	f.Done()
	return m
}
