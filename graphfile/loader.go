package graphfile

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// The bounds of one load, all included files together. A file that is
// included twice counts twice.
const (
	mostBytes  = 4 << 20
	mostValues = 200_000
	mostGraphs = 1_000
	mostFiles  = 16 // inside one another
)

// loader reads a file and the files it includes.
type loader struct {
	opt    Options
	bytes  int
	values int
	graphs int
	files  map[string]*source.File // by path

	sizes    map[string]int
	maker    *maker
	kits     []*agent.Kit
	around   []string // the paths of the files that are being read
	reports  []*source.Report
	found    Diagnostics
	failures int
}

func newLoader(opt *Options) *loader {
	l := &loader{files: map[string]*source.File{}, sizes: map[string]int{}}
	if opt != nil {
		l.opt = *opt
	}
	l.maker = newMaker(&l.opt)
	return l
}

// parse makes the File of a root file's text.
func (l *loader) parse(name string, data []byte) (*File, error) {
	root, err := source.Parse(name, data, source.Limits{Bytes: mostBytes, Nodes: mostValues})
	l.found = append(l.found, source.Of(err)...)
	if root == nil {
		return nil, err
	}
	l.bytes, l.values = len(data), values(root.Root)
	l.files[l.clean(name)], l.sizes[l.clean(name)] = root, len(data)
	l.around = append(l.around, l.clean(name))
	d := &decoder{loader: l, text: l.report(root)}
	spec := d.graph(root.Root)
	l.addGoNodes(spec)
	return l.finish(newTree(spec))
}

// report begins a report of a file.
func (l *loader) report(f *source.File) text {
	rep := f.Report()
	l.reports = append(l.reports, rep)
	return text{&page.Page{File: f, Rep: rep, Failures: &l.failures}, f, rep}
}

// diagnostics are all problems found so far.
func (l *loader) diagnostics() Diagnostics {
	ds := slices.Clone(l.found)
	for _, r := range l.reports {
		ds = append(ds, r.Diagnostics()...)
	}
	return ds.Sorted()
}

// addGoNodes adds the nodes of the options to the root graph.
func (l *loader) addGoNodes(g *graphSpec) {
	for _, n := range g.nodes {
		work, twice := l.opt.Nodes[n.name]
		switch {
		case twice && n.agent:
			n.work = &goNode{work, l.opt.Configs[n.name]}
		case twice:
			g.rep.Errorf(n.pos, "node %q is in the file and written in Go, it can be only one of both", n.name)
		}
	}
	for _, n := range l.opt.goNodes() {
		if !slices.ContainsFunc(g.nodes, func(o *nodeSpec) bool { return o.name == n.name }) {
			n.pos = g.pos
			g.nodes = append(g.nodes, n)
		}
	}
	if l.opt.Planner != nil && g.plan == nil {
		g.rep.Errorf(source.Pos{}, "there is a planner written in Go, and no section \"plan\" that it could plan for").Hint = "write \"plan: {}\" beside the agents"
	}
	for _, name := range slices.Sorted(maps.Keys(l.opt.Configs)) {
		if _, ok := l.opt.Nodes[name]; !ok {
			g.rep.Errorf(source.Pos{}, "there is a config for the node %q, which is not among the nodes written in Go", name)
		}
	}
}

// count counts a subgraph, and reports the first one too many.
func (l *loader) count(rep *source.Report, at source.Pos) bool {
	l.graphs++
	if l.graphs == mostGraphs+1 {
		rep.Errorf(at, "there are more than %d subgraphs, included ones counted each time", mostGraphs)
	}
	return l.graphs <= mostGraphs
}

// values counts the values of a tree, aliases counted each time.
func values(n *source.Node) int {
	sum := 1
	for _, item := range n.Items {
		sum += values(item)
	}
	for _, e := range n.Entries {
		sum += values(e.Value)
	}
	return sum
}

// read reads a file, but no more than the largest that is allowed.
func (l *loader) read(name string) ([]byte, error) {
	f, err := l.open(name)
	if err != nil {
		return nil, fmt.Errorf("graphfile: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("graphfile: read %q: %w", name, err)
	}
	return data, nil
}

func (l *loader) open(name string) (fs.File, error) {
	if l.opt.FS != nil {
		return l.opt.FS.Open(l.clean(name))
	}
	return os.Open(name)
}

// clean makes one path of all ways to write it.
func (l *loader) clean(name string) string {
	if l.opt.FS != nil {
		return path.Clean(filepath.ToSlash(name))
	}
	return filepath.Clean(name)
}

// beside returns the path of a file named in another one.
func (l *loader) beside(name, other string) string {
	if l.opt.FS != nil {
		return path.Join(path.Dir(l.clean(name)), other)
	}
	return filepath.Join(filepath.Dir(name), filepath.FromSlash(other))
}
