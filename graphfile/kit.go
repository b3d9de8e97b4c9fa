package graphfile

import (
	"errors"

	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/tools"
	"github.com/graphrun/graphrun/graphfile/internal/webcall"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
)

// ModelSpec says which model a file means.
type ModelSpec = models.Spec

// Allow says what the tools of a file may do. The zero Allow: nothing.
type Allow struct {
	// Exec lets them run commands, with the rights of this process.
	Exec bool
	// Hosts are those that they may call, as HOST, for the ports 80 and 443, or
	// HOST:PORT. A host with a private address must be listed by that address,
	// but for localhost.
	Hosts []string
	// Getenv reads an environment variable that the file names, "" is one that is
	// not set; nil: none is.
	Getenv func(name string) string
}

// NotReady is the error of a file that is right and cannot be run as things
// stand: a key is missing, or a tool needs what is not allowed. The File is not
// returned; without Options.Models and Options.Allow it can be looked at.
type NotReady struct{ Problems Diagnostics }

// Error tells all problems, each where it stands.
func (e *NotReady) Error() string { return e.Problems.Error() }

// kitOf reads what the agents of a graph may name: what is declared there, and
// in the graphs around it.
func (d *decoder) kitOf(f *source.Fields) *agent.Kit {
	around := d.kit
	if around == nil {
		around = &agent.Kit{}
	}
	kit := &agent.Kit{
		Models: models.Read(d.Page, f.Take("models"), around.Models, d.opt.Providers),
		Tools:  tools.Read(d.Page, f.Take("tools"), around.Tools, d.opt.Tools),
	}
	d.kits = append(d.kits, kit)
	return kit
}

// unused warns of models and tools that nothing uses.
func (l *loader) unused() {
	for _, k := range l.kits {
		k.Models.Unused()
		k.Tools.Unused()
	}
}

// maker makes models and tools, each once for all agents that have it.
type maker struct {
	opt     *Options
	allow   *tools.Allow // nil: tools are not made ready
	models  map[*models.Spec]model.Model
	tools   map[*tools.Spec]nodes.Tool
	unready Diagnostics
	failed  error // of the options
}

func newMaker(opt *Options) *maker {
	m := &maker{opt: opt, models: map[*models.Spec]model.Model{}, tools: map[*tools.Spec]nodes.Tool{}}
	if a := opt.Allow; a != nil {
		hosts, err := webcall.NewHosts(a.Hosts)
		m.failed = err
		m.allow = &tools.Allow{Exec: a.Exec, Client: webcall.NewClient(hosts), Getenv: a.Getenv}
	}
	return m
}

// err is why the file cannot be run; nil: it can.
func (m *maker) err() error {
	if m.failed != nil {
		return m.failed
	}
	if len(m.unready) > 0 {
		return &NotReady{m.unready.Sorted()}
	}
	return nil
}

// model makes the model of an agent, or of whoever else asks it.
func (m *maker) model(who string, s *models.Spec) model.Model {
	made, ok := m.models[s]
	if !ok {
		made = m.fresh(who, s)
		m.models[s] = made
	}
	return made
}

func (m *maker) fresh(who string, s *models.Spec) model.Model {
	if m.opt.Models == nil {
		return unmade{s}
	}
	made, err := m.opt.Models(*s)
	if err != nil || made == nil {
		if err == nil {
			err = errors.New("Options.Models has made none")
		}
		m.tell(who, s, err)
		return unmade{s}
	}
	made = s.Guarded(made)
	if m.opt.Around != nil {
		made = m.opt.Around(made)
	}
	return made
}

// tell notes that there is no model.
func (m *maker) tell(who string, s *models.Spec, err error) {
	r := s.File().Report()
	r.Errorf(s.Pos(), "%s: the model %s: %s", who, s.Text(), plain(err))
	m.unready = append(m.unready, r.Diagnostics()...)
}

// tool makes a tool.
func (m *maker) tool(s *tools.Spec) nodes.Tool {
	made, ok := m.tools[s]
	if !ok {
		var problems Diagnostics
		made, problems = s.Make(m.allow)
		m.unready = append(m.unready, problems...)
		m.tools[s] = made
	}
	return made
}

// Hosts are hosts that may be called.
type Hosts = webcall.Hosts

// ParseHosts reads what Allow.Hosts holds. Its error says which one is no host.
func ParseHosts(list []string) (Hosts, error) { return webcall.NewHosts(list) }
