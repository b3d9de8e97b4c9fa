package source

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/graphrun/graphrun/internal/topo"
)

// manyAnchors is how many anchors a file may have for an unknown one to be
// compared with all of them.
const manyAnchors = 1000

// aliases lets the library read on behind an alias that names no anchor, so
// that all of them can be reported.
type aliases struct{}

// NewAliasDataContext returns what holds the anchors of one file.
func (aliases) NewAliasDataContext(yaml.AliasDataServices) (yaml.AliasDataContext, error) {
	return aliasTargets{}, nil
}

// aliasTargets are the nodes of a document by the names of their anchors.
type aliasTargets map[string]*yaml.Node

// BeginDocument does nothing, since only one document is read.
func (aliasTargets) BeginDocument() error { return nil }

// DefineAnchor remembers a node.
func (t aliasTargets) DefineAnchor(name string, node *yaml.Node) error {
	t[name] = node
	return nil
}

// ResolveAlias returns the node of a name, and null for one that is unknown.
func (t aliasTargets) ResolveAlias(name string) (*yaml.Node, bool, error) {
	if node := t[name]; node != nil {
		return node, true, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, true, nil
}

// EndDocument does nothing.
func (aliasTargets) EndDocument() error { return nil }

// alias reads an alias. The value shares its children with the one that is
// named, and counts as large as it is.
func (r *yamlReader) alias(y *yaml.Node) *Node {
	at := place(y)
	a := r.anchors[y.Alias]
	switch {
	case a == nil:
		r.noAnchor(at, y.Value)
	case a.node == nil:
		r.rep.Errorf(at, "*%s stands inside the value it names, which starts at %s", y.Value, place(y.Alias))
	default:
		return r.unfold(a, at)
	}
	return r.node(Null, at)
}

func (r *yamlReader) unfold(a *anchor, at Pos) *Node {
	r.grow(a.size, at)
	r.peak = max(r.peak, r.depth+a.height)
	if r.depth+a.height > r.lim.Depth {
		r.fail(at, "what the alias stands for makes lists and maps stand more than %d deep inside one another", r.lim.Depth)
	}
	n := *a.node
	n.Pos = at
	return &n
}

func (r *yamlReader) noAnchor(at Pos, name string) {
	d := r.rep.Errorf(at, "no value above has the anchor &%s", strings.Trim(excerpt(name), `"`))
	d.Hint = "text that starts with '*' needs quotes"
	if r.rep.full() || len(r.names) > manyAnchors {
		return
	}
	if near, ok := topo.Nearest(name, r.names); ok {
		d.Hint = didYouMean("*" + near)
	}
}
