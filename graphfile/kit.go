package graphfile

import (
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/tools"
	"github.com/graphrun/graphrun/graphfile/internal/webcall"
)

// ModelSpec says which model a file means.
type ModelSpec = models.Use

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

// Hosts are hosts that may be called.
type Hosts = webcall.Hosts

// ParseHosts reads what Allow.Hosts holds. Its error says which one is no host.
func ParseHosts(list []string) (Hosts, error) { return webcall.NewHosts(list) }
