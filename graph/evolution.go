package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
)

// Evolution says which changes of a graph are fine. A thread with work left
// remembers the graph that it was run with; going on with another one fails
// with ErrChanged and what has changed, unless it is declared here. A thread
// without work left takes new input whatever has changed of nodes and edges;
// its state must still be readable. Fields that were renamed are declared at
// their handles (Renamed), changes of types by a new version of the schema.
type Evolution struct {
	Renamed map[string]string // old names of nodes, of subgraphs' as well, and what they are called now
	Added   []string          // nodes that are new, with the edges from and to them
	Any     bool              // whatever it is: it is enough that all that is due still exists
}

// current returns the name that a node of an older graph goes by now.
func (e *Evolution) current(node string) string {
	if to, ok := e.Renamed[node]; ok {
		return to
	}
	return node
}

// description is a graph's shape, to tell people what has changed of it.
type description struct {
	Fields map[string]string      `json:"fields"`
	Nodes  map[string][]string    `json:"nodes"`           // with their ways on
	Waits  [][2]string            `json:"waits,omitempty"` // sources, joined by +, and target
	Inner  map[string]description `json:"inner,omitempty"` // of the nodes that are subgraphs
}

// describe writes down what the fingerprint covers.
func (p *program) describe() description {
	d := description{Fields: map[string]string{}, Nodes: map[string][]string{}, Inner: map[string]description{}}
	for _, name := range p.layout.Fields() {
		info, _ := p.layout.Info(name)
		d.Fields[name] = fmt.Sprintf("%s of %v", info.Kind, info.Type)
	}
	d.Nodes[Start] = p.ways(&p.plan.Entry)
	for i := range p.plan.Nodes {
		d.Nodes[p.plan.Names[i]] = p.ways(&p.plan.Nodes[i])
		if child := p.nodes[i].child; child != nil {
			d.Inner[p.plan.Names[i]] = child.describe()
		}
	}
	for _, j := range p.plan.Joins {
		from := make([]string, len(j.Sources))
		for i, s := range j.Sources {
			from[i] = p.plan.Name(s)
		}
		d.Waits = append(d.Waits, [2]string{strings.Join(from, "+"), p.plan.Name(j.To)})
	}
	return d
}

func (d *description) encode() json.RawMessage {
	data, _ := json.Marshal(d) // texts always have a JSON form
	return data
}

func (p *program) ways(n *kernel.Node) []string {
	ways := []string{}
	for _, to := range n.Next {
		ways = append(ways, "edge to "+p.plan.Name(to))
	}
	for _, kind := range []struct {
		verb string
		to   []kernel.Target
	}{{"goto ", n.Goto}, {"send to ", n.Send}, {"route to ", n.Relay}} {
		for _, t := range kind.to {
			ways = append(ways, kind.verb+t.Name)
		}
	}
	if n.Defer {
		ways = append(ways, "deferred")
	}
	return ways
}

// accept refuses to go on with a log of another graph, unless its changes are
// declared. Where nothing is due they do not matter.
func (s *session) accept(p *program, ns []string, log *logState, fresh bool) error {
	if log.Told == p.plan.Print || fresh || len(log.Meta.Due.Tasks) == 0 || s.keep.evolution.Any {
		return nil
	}
	old, err := s.oldShape(s.log.Head)
	if err != nil {
		return err
	}
	for _, node := range ns {
		old = old.Inner[node]
	}
	now := p.describe()
	old.rename(s.keep.evolution.Renamed)
	now.leaveOut(s.keep.evolution.Added, old)
	var changes []string
	changes = append(changes, differences("field", old.Fields, now.Fields, func(s string) string { return s })...)
	changes = append(changes, differences("node", old.Nodes, now.Nodes, func(w []string) string { return listed(w) })...)
	changes = append(changes, differences("waiting edge", old.waits(), now.waits(), func(bool) string { return "" })...)
	if len(changes) == 0 {
		return nil
	}
	return fmt.Errorf("%w since checkpoint %d: %s; declare in Config.Evolution what is fine, or give the thread new input",
		ErrChanged, s.log.Head, strings.Join(changes, "; "))
}

// oldShape finds the description of the graph that wrote the thread's log up
// to a commit.
func (s *session) oldShape(head int64) (d description, err error) {
	for before := head + 1; ; {
		page, err := s.keep.store.List(s.ctx, checkpoint.Query{Log: checkpoint.Log{Thread: s.thread}, Before: before, Limit: 100})
		if err != nil {
			return d, storeError(err)
		}
		for i := range page {
			if !bytes.Contains(page[i].Meta, []byte(`"shape":`)) {
				continue
			}
			m, err := journal.ReadMeta(&page[i])
			if err != nil {
				return d, storeError(err)
			}
			if m.Shape != nil {
				return d, json.Unmarshal(m.Shape, &d)
			}
		}
		if len(page) == 0 {
			return d, nil // the checkpoint that told it was pruned: all is told as new
		}
		before = page[len(page)-1].Seq
	}
}

// rename gives nodes their new names wherever they are mentioned.
func (d *description) rename(names map[string]string) {
	if len(names) == 0 {
		return
	}
	current := (&Evolution{Renamed: names}).current
	nodes := map[string][]string{}
	for name, ways := range d.Nodes {
		for i, way := range ways {
			for _, verb := range []string{"edge to ", "goto ", "send to ", "route to "} {
				if to, ok := strings.CutPrefix(way, verb); ok {
					ways[i] = verb + current(to)
				}
			}
		}
		slices.Sort(ways)
		nodes[current(name)] = ways
	}
	d.Nodes = nodes
	for i, w := range d.Waits {
		from := strings.Split(w[0], "+")
		for k := range from {
			from[k] = current(from[k])
		}
		d.Waits[i] = [2]string{strings.Join(from, "+"), current(w[1])}
	}
}

// leaveOut takes nodes that are declared as new, with the edges to them, out
// of the description, but for what the old one has as well.
func (d *description) leaveOut(added []string, old description) {
	for _, name := range added {
		if _, had := old.Nodes[name]; !had {
			delete(d.Nodes, name)
		}
	}
	for name, ways := range d.Nodes {
		d.Nodes[name] = slices.DeleteFunc(ways, func(way string) bool {
			_, to, _ := strings.Cut(way, "to ")
			return slices.Contains(added, to) && !slices.Contains(old.Nodes[name], way)
		})
		slices.Sort(d.Nodes[name])
	}
	for _, ways := range old.Nodes {
		slices.Sort(ways)
	}
	d.Waits = slices.DeleteFunc(d.Waits, func(w [2]string) bool {
		for _, name := range append(strings.Split(w[0], "+"), w[1]) {
			if slices.Contains(added, name) {
				return true
			}
		}
		return false
	})
}

func (d *description) waits() map[string]bool {
	out := map[string]bool{}
	for _, w := range d.Waits {
		out[w[0]+" -> "+w[1]] = true
	}
	return out
}

// differences tells what of one kind is gone, new or changed.
func differences[V any](kind string, old, now map[string]V, show func(V) string) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		v, ok := now[name]
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("%s %q is gone", kind, name))
		case show(v) != show(old[name]):
			out = append(out, fmt.Sprintf("%s %q had %s and has %s", kind, name, show(old[name]), show(v)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, had := old[name]; !had {
			out = append(out, fmt.Sprintf("%s %q is new", kind, name))
		}
	}
	return out
}
