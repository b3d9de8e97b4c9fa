package graphfile

import (
	"errors"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/tools"
	"github.com/graphrun/graphrun/graphfile/internal/webcall"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
)

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
		m.allow = &tools.Allow{Exec: a.Exec, Client: webcall.NewClient(hosts), Getenv: a.Getenv, Nowhere: opt.FS != nil}
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
	made, err := m.opt.Models(s.Use)
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
	r := s.File.Report()
	r.Errorf(s.Pos, "%s: the model %s: %s", who, s.Text(), plain(err))
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
