package source

import "fmt"

// tree builds the nodes of one file within its limits. After the first failure
// nothing more is read.
type tree struct {
	file   *File
	rep    *Report
	lim    Limits
	depth  int // lists and maps around the value that is read
	peak   int // the largest depth since the innermost open anchor
	nodes  int // values read, those behind aliases counted each time
	failed bool
}

// fail reports the problem at which reading stops. Later ones are dropped.
func (t *tree) fail(at Pos, format string, args ...any) *Diagnostic {
	if t.failed {
		return &Diagnostic{}
	}
	t.failed = true
	return t.rep.add(at, Error, fmt.Sprintf(format, args...))
}

func (t *tree) node(kind Kind, at Pos) *Node {
	t.grow(1, at)
	return &Node{Kind: kind, Pos: at}
}

func (t *tree) grow(n int, at Pos) {
	t.nodes += n
	if t.nodes > t.lim.Nodes {
		t.fail(at, "the file holds more than %d values, where an alias counts as all it stands for", t.lim.Nodes)
	}
}

// enter begins a list or map; leave ends it.
func (t *tree) enter(at Pos) bool {
	t.depth++
	t.peak = max(t.peak, t.depth)
	if t.depth > t.lim.Depth {
		t.fail(at, "%s", tooDeep(t.lim.Depth))
	}
	return !t.failed
}

func (t *tree) leave() { t.depth-- }

func tooDeep(most int) string {
	return fmt.Sprintf("lists and maps stand more than %d deep inside one another", most)
}

// keys builds the entries of a map.
type keys struct {
	rep  *Report
	node *Node
	seen map[string]Pos
}

func (t *tree) keys(n *Node) *keys {
	return &keys{rep: t.rep, node: n, seen: map[string]Pos{}}
}

// add adds an entry, or reports a key that is there already.
func (k *keys) add(key string, at Pos, value *Node) {
	if first, double := k.seen[key]; double {
		k.rep.Errorf(at, "the key %s is given twice, first at %s", excerpt(key), first)
		return
	}
	k.seen[key] = at
	k.node.Entries = append(k.node.Entries, Entry{Key: key, KeyPos: at, Value: value})
}
