package team

import (
	"maps"

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

// presetPolicy returns the policy of a preset; false if there is none of this
// name.
func presetPolicy(name string) (*handoffs.Policy, bool) {
	switch name {
	case "prd040":
		return prd040.Policy(), true
	case "stored":
		return stored.Policy(), true
	case "protocol":
		return protocol.Policy(), true
	case "rules":
		return rules.Policy(""), true
	case "specialist":
		return specialist.Policy(), true
	}
	return nil, false
}

// mostHandoffs bounds the handoffs of a run whose file bounds nothing.
const mostHandoffs = 20

// preset is the policy that the file's own is laid over.
func (r *reader) preset(f *source.Fields) *handoffs.Policy {
	fresh := &handoffs.Policy{Limits: handoffs.Limits{Handoffs: mostHandoffs}}
	name, ok := f.OneOf("preset", presets()...)
	if !ok {
		return fresh
	}
	p, ok := presetPolicy(name)
	if !ok {
		r.Rep.Errorf(f.Take("preset").Pos, "the preset %q is not there yet in this version", name)
		return fresh
	}
	own := *p
	own.OnReject, own.Classes, own.Texts = maps.Clone(p.OnReject), maps.Clone(p.Classes), maps.Clone(p.Texts)
	return &own
}

// supervisor reads who is the supervisor. Where a preset's own supervisor takes
// over, the file's does.
func (r *reader) supervisor(f *source.Fields, p *handoffs.Policy) {
	was := p.Supervisor
	switch {
	case f.Has("supervisor"):
		p.Supervisor = r.agentAt(f, "supervisor")
	case was != "" && !r.byID[was]:
		r.Rep.Errorf(f.Take("preset").Pos, "the preset %q needs an agent that is the supervisor", f.Take("preset").Text).Hint =
			"name one of the agents " + quote(was) + ", or say under \"supervisor\" which one it is"
		p.Supervisor = ""
	}
	if was == "" || was == p.Supervisor {
		return
	}
	for code, a := range p.OnReject {
		if a.Target == was {
			a.Target = p.Supervisor
			p.OnReject[code] = a
		}
	}
	if p.OnFailure.Target == was {
		p.OnFailure.Target = p.Supervisor
	}
}
