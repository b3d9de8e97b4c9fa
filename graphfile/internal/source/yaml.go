package source

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// yamlReader turns the nodes of the YAML library into those of a tree.
type yamlReader struct {
	*tree
	anchors map[*yaml.Node]*anchor
	names   []string // of the anchors read so far
}

// anchor is a value with a name, open until the value is read.
type anchor struct {
	node   *Node // nil while it is open
	size   int   // values in it
	height int   // lists and maps inside one another in it
}

func (t *tree) yaml(text string) *Node {
	text = t.yamlText(text)
	if t.failed {
		return nil
	}
	doc := t.load(text)
	if t.failed {
		return nil
	}
	if doc == nil || absent(doc.Content[0]) && doc.Content[0].Anchor == "" {
		t.fail(Pos{}, "the file holds no value")
		return nil
	}
	r := yamlReader{tree: t, anchors: map[*yaml.Node]*anchor{}}
	return r.value(doc.Content[0])
}

// load returns the document of a text, or nil if it has none.
func (t *tree) load(text string) *yaml.Node {
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(aliases{}, loaderlimits.New(loaderlimits.AliasNone(), loaderlimits.DepthFunc(t.deep))))
	if err != nil {
		t.fail(Pos{}, "%v", err)
		return nil
	}
	var doc, more yaml.Node
	err = loader.Load(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = loader.Load(&more)
	}
	switch {
	case err == nil:
		t.second(place(&more))
	case !errors.Is(err, io.EOF):
		t.syntax(err)
	}
	return &doc
}

func (t *tree) deep(depth int, _ *loaderlimits.DepthContext) error {
	if depth > t.lim.Depth {
		return errors.New(tooDeep(t.lim.Depth))
	}
	return nil
}

func place(y *yaml.Node) Pos { return Pos{y.Line, y.Column} }

func quoted(y *yaml.Node) bool {
	return y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// absent tells whether a value or key was left out.
func absent(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "" && !quoted(y)
}

// value reads a node and what is in it.
func (r *yamlReader) value(y *yaml.Node) *Node {
	if y.Kind == yaml.AliasNode {
		return r.alias(y)
	}
	r.tag(y)
	if y.Anchor == "" {
		return r.content(y)
	}
	a, from, peak := r.anchor(y), r.nodes, r.peak
	r.peak = r.depth
	a.node = r.content(y)
	a.size, a.height = r.nodes-from, r.peak-r.depth
	r.peak = max(r.peak, peak)
	return a.node
}

func (r *yamlReader) content(y *yaml.Node) *Node {
	n := r.node(String, place(y))
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = List
	case yaml.MappingNode:
		n.Kind = Map
	default:
		r.scalar(n, y)
		return n
	}
	if !r.enter(n.Pos) {
		return n
	}
	defer r.leave()
	if n.Kind == Map {
		r.entries(n, y.Content)
		return n
	}
	for i := 0; i < len(y.Content) && !r.failed; i++ {
		n.Items = append(n.Items, r.value(y.Content[i]))
	}
	return n
}

func (r *yamlReader) scalar(n *Node, y *yaml.Node) {
	n.Text, n.Quoted = y.Value, quoted(y)
	r.lonely(y)
	switch {
	case absent(y):
		n.Kind = Null
	case !n.Quoted:
		r.check(n)
	}
}

// entries reads keys and values, which take turns.
func (r *yamlReader) entries(n *Node, pairs []*yaml.Node) {
	all := r.keys(n)
	for ; len(pairs) > 1 && !r.failed; pairs = pairs[2:] {
		key := pairs[0]
		r.key(key)
		value := r.value(pairs[1])
		if absent(pairs[1]) && pairs[1].Anchor == "" {
			value.Pos = place(key)
		}
		if key.Value == "<<" && !quoted(key) {
			d := r.rep.Errorf(place(key), "merge keys (<<) are not part of YAML 1.2")
			d.Hint = `write the entries out, or "<<" in quotes for a key of that name`
			continue
		}
		all.add(key.Value, place(key), value)
	}
}

// key fails with a key that is no text.
func (r *yamlReader) key(y *yaml.Node) {
	r.tag(y)
	switch {
	case y.Kind == yaml.AliasNode:
		r.fail(place(y), "a key must be written out, it cannot be an alias")
	case y.Kind == yaml.SequenceNode:
		r.fail(place(y), "a key must be text, but this is %s", List)
	case y.Kind == yaml.MappingNode:
		r.fail(place(y), "a key must be text, but this is %s", Map)
	case absent(y):
		r.fail(place(y), "a key is missing here")
	}
	if r.lonely(y); y.Anchor != "" {
		n := &Node{Kind: String, Pos: place(y), Text: y.Value, Quoted: quoted(y)}
		*r.anchor(y) = anchor{node: n, size: 1}
	}
}

// lonely fails with a sign that is no text, though the library takes it for one
// in front of a bracket.
func (r *yamlReader) lonely(y *yaml.Node) {
	if (y.Value == "?" || y.Value == "-" || y.Value == ":") && !quoted(y) {
		r.fail(place(y), "unexpected '%s'", y.Value).Hint = "if it is text, put it in quotes"
	}
}

func (r *yamlReader) tag(y *yaml.Node) {
	if y.Style&yaml.TaggedStyle == 0 && y.Tag != "!" {
		return
	}
	d := r.rep.Errorf(place(y), "tags are not read: %s", excerpt(y.Tag))
	d.Hint = "write a number plain and a text in quotes; text that starts with '!' needs quotes"
}

// anchor opens the anchor of a node. The library ends a name at a ':', which
// then starts the text.
func (r *yamlReader) anchor(y *yaml.Node) *anchor {
	if y.Kind == yaml.ScalarNode && strings.HasPrefix(y.Value, ":") && !quoted(y) {
		r.fail(place(y), "the name of an anchor or the text behind it cannot have a ':' here").Hint = "put the text in quotes"
	}
	a := &anchor{}
	r.anchors[y] = a
	r.names = append(r.names, y.Anchor)
	return a
}
