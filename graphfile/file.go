package graphfile

import (
	"io/fs"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// record is the state of graphs that are read from files.
type record = state.Record

// File is a graph file that was read, checked and compiled. It does not change
// and may be used by any number of goroutines at once.
type File struct {
	name, description string
	graph             *graph.Graph[record]
	schema            *state.RecordSchema
	fields            []*fieldSpec
	team              *handoffs.Team[record]
	planned           *plan.Executor[record] // nil: there are no plans
	warnings          Diagnostics
}

// Options holds what Load and Parse can be given. Nil means its zero value.
type Options struct {
	// Nodes are nodes written in Go, by name, beside those in the file: its
	// edges, gotos and sends may name them. They belong to the graph of the
	// file itself, not to subgraphs. A name that the file has too is an error,
	// but for that of an agent without turns: then the node does its turns.
	// They make their writes with the schema of the File, and ask for handoffs
	// by its Team.
	Nodes map[string]graph.Node[state.Record]

	// Configs holds what nodes of Nodes are given beside their function: the
	// targets of their commands, a retry policy and so on. A name that Nodes
	// does not have is an error.
	Configs map[string]graph.NodeConfig

	// Planner makes the plans of sections plan that have no planner of their own,
	// and Judge looks for progress in them; nil: nothing does.
	Planner plan.Planner
	Judge   plan.Judge

	// Checks are the functions that the steps of plans name in accept.check.
	Checks map[string]plan.Check

	// Models makes the models that the file names. What it returns is asked by any
	// number of runs at once; what the file says of retries, limits and time is
	// put around it. Its errors are told as a NotReady. Nil: the file is only looked
	// at; an agent that asks its model fails.
	Models func(ModelSpec) (model.Model, error)
	// Around is put around each of those models, outside of retries and limits, to
	// record them or to play what was recorded; nil: nothing is.
	Around func(model.Model) model.Model
	// Providers are those that models may have beside openai, anthropic and
	// ollama.
	Providers []string

	// Tools are tools written in Go that agents of the file may name.
	Tools []nodes.Tool
	// Allow says what the tools of the file may do. What they need and may not do
	// is told as a NotReady. Nil: the file is only looked at; a tool fails when it
	// is called.
	Allow *Allow

	// FS is where Load finds the file, and Load and Parse the files it
	// includes. Nil means the files of the operating system.
	FS fs.FS
}

// Load reads the graph file at path. An error about the content is
// Diagnostics, with all problems that were found; it is another error if the
// file cannot be read. Files that it includes are found from its directory.
// No more than 4 MiB are read, all included files together.
func Load(path string, opt *Options) (*File, error) {
	l := newLoader(opt)
	data, err := l.read(path)
	if err != nil {
		return nil, err
	}
	return l.parse(path, data)
}

// Parse reads a graph file from memory. The name is that of messages; files
// that it includes are found from the name's directory.
func Parse(name string, data []byte, opt *Options) (*File, error) {
	return newLoader(opt).parse(name, data)
}

// Graph returns the graph, which runs like any other.
func (f *File) Graph() *graph.Graph[state.Record] { return f.graph }

// Team returns the agents of the file; nil if it has none. It makes the inputs
// by which users choose an agent and signals come. Agents of subgraphs are
// their own teams.
func (f *File) Team() *handoffs.Team[state.Record] { return f.team }

// Name returns the name that the file gives its graph; it may be empty.
func (f *File) Name() string { return f.name }

// Description returns the file's description; it may be empty.
func (f *File) Description() string { return f.description }

// Warnings returns what was found odd but not wrong, in the file and in those
// it includes, sorted.
func (f *File) Warnings() Diagnostics { return slices.Clone(f.warnings) }

// Schema returns the schema of the state. Keys of send inputs that are no
// fields of the state are its local fields.
func (f *File) Schema() *state.RecordSchema { return f.schema }

// goNodes returns the nodes written in Go, by name in order.
func (o *Options) goNodes() []*nodeSpec {
	var out []*nodeSpec
	for _, name := range slices.Sorted(maps.Keys(o.Nodes)) {
		out = append(out, &nodeSpec{ref: ref{name: name}, work: &goNode{o.Nodes[name], o.Configs[name]}})
	}
	return out
}
