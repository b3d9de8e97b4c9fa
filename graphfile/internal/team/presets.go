package team

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
	"github.com/graphrun/graphrun/handoffs/protocol"
	"github.com/graphrun/graphrun/handoffs/rules"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/handoffs/stored"
)

// presets are the names of the policies that a file may begin with.
func presets() []string { return []string{"prd040", "stored", "protocol", "rules", "specialist"} }

// presetPolicy returns the policy of a preset.
func presetPolicy(name string) *handoffs.Policy {
	switch name {
	case "prd040":
		return prd040.Policy()
	case "stored":
		return stored.Policy()
	case "protocol":
		return protocol.Policy()
	case "rules":
		return rules.Policy(rules.ErrorMonitor)
	}
	return specialist.Policy()
}

// mostHandoffs bounds the handoffs of a run whose file bounds nothing.
const mostHandoffs = 20

// preset is the policy that the file's own is laid over.
func (r *reader) preset(f *source.Fields) *handoffs.Policy {
	name, ok := f.OneOf("preset", presets()...)
	if !ok {
		return &handoffs.Policy{Limits: handoffs.Limits{Handoffs: mostHandoffs}}
	}
	return presetPolicy(name)
}

// supervisor reads who is the supervisor. Where a preset has an agent of its own
// that takes over what fails, the file's supervisor does.
func (r *reader) supervisor(f *source.Fields, p *handoffs.Policy) {
	was := r.own(f, p)
	if f.Has("supervisor") {
		p.Supervisor = r.agentAt(f, "supervisor")
		divert(p, was, handoffs.Action{Do: handoffs.RouteTo, Target: p.Supervisor})
		return
	}
	switch {
	case was == "" || r.byID[was]:
	case p.Supervisor == was:
		r.Rep.Errorf(f.Take("preset").Pos, "the preset %q needs an agent that is the supervisor", f.Take("preset").Text).Hint =
			"name one of the agents " + quote(was) + ", or say under \"supervisor\" which one it is"
		p.Supervisor = ""
	default:
		divert(p, was, handoffs.Action{Do: handoffs.ToSource})
	}
}

// own is the agent that a preset speaks of: its supervisor, or the error monitor;
// "": none.
func (r *reader) own(f *source.Fields, p *handoffs.Policy) string {
	if r.led(f) {
		return rules.ErrorMonitor
	}
	return p.Supervisor
}

// led reports whether the preset is that of workflows led by rules.
func (r *reader) led(f *source.Fields) bool {
	n := f.Take("preset")
	return n != nil && n.Text == "rules"
}

// divert does something else wherever an agent was to take over.
func divert(p *handoffs.Policy, was string, a handoffs.Action) {
	if was == "" {
		return
	}
	for code, old := range p.OnReject {
		if old.Target == was {
			p.OnReject[code] = a
		}
	}
	if p.OnFailure.Target == was {
		p.OnFailure = a
	}
}
