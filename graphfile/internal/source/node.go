package source

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Pos is a place in a file. Line and Col count from 1, Col in runes; the zero
// Pos means that the place is not known.
type Pos struct{ Line, Col int }

// Known tells whether the position names a place.
func (p Pos) Known() bool { return p.Line > 0 }

// String is "line L, column C", or "an unknown place".
func (p Pos) String() string {
	if !p.Known() {
		return "an unknown place"
	}
	return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Col)
}

// Less orders positions as they stand in a file; unknown ones come first.
func (p Pos) Less(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// Kind is what a node holds.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
)

// String names the kind as messages do, with its article: "a list", "text".
func (k Kind) String() string {
	names := [...]string{"nothing", "true or false", "a whole number", "a number", "text", "a list", "a map"}
	if int(k) >= len(names) {
		return "an unknown kind"
	}
	return names[k]
}

// Node is one value of a file with its place. Nodes are not changed once they
// are read and may be read by many goroutines; an alias shares the children of
// the node it names.
type Node struct {
	Kind Kind
	// Pos is where the value starts: its first character, the quote, bracket,
	// dash, or first key, or the '&' of its anchor. A value that was left out
	// stands at its key or behind its dash, an alias at its '*'.
	Pos Pos
	// Bool, Int and Float hold the value of the kind of that name, and are zero
	// for all others.
	Bool  bool
	Int   int64
	Float float64
	// Text is the text of a String, and the source text of any other scalar.
	Text string
	// Quoted tells of a String that it was written in quotes or as a block (| or >).
	Quoted bool
	// Items are the elements of a List.
	Items []*Node
	// Entries are those of a Map, in the order of the file, each key once.
	Entries []Entry
}

// Entry is one key of a map with its value, which is never nil.
type Entry struct {
	Key    string
	KeyPos Pos
	Value  *Node
}

// Get returns the value of a key, or nil if the node is nil, no map, or has no
// such key.
func (n *Node) Get(key string) *Node {
	if e := n.entry(key); e != nil {
		return e.Value
	}
	return nil
}

func (n *Node) entry(key string) *Entry {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// Any returns the value as plain Go: nil, bool, int64, float64, string, []any
// or map[string]any, the last two never nil. A nil node gives nil. Each call
// makes new lists and maps.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool:
		return n.Bool
	case Int:
		return n.Int
	case Float:
		return n.Float
	case String:
		return n.Text
	case List:
		return n.list()
	case Map:
		return n.dict()
	default:
		return nil
	}
}

func (n *Node) list() []any {
	out := make([]any, len(n.Items))
	for i, item := range n.Items {
		out[i] = item.Any()
	}
	return out
}

func (n *Node) dict() map[string]any {
	out := make(map[string]any, len(n.Entries))
	for _, e := range n.Entries {
		out[e.Key] = e.Value.Any()
	}
	return out
}

// MarshalJSON writes the node as JSON with the keys in the order of the file.
// Floats keep a point or an exponent, so that what is read back is a float
// again.
func (n *Node) MarshalJSON() ([]byte, error) { return n.appendJSON(nil), nil }

func (n *Node) appendJSON(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool:
		return strconv.AppendBool(dst, n.Bool)
	case Int:
		return strconv.AppendInt(dst, n.Int, 10)
	case Float:
		return appendFloat(dst, n.Float)
	case String:
		return appendText(dst, n.Text)
	case List:
		return n.appendItems(dst)
	case Map:
		return n.appendEntries(dst)
	default:
		return append(dst, "null"...)
	}
}

func (n *Node) appendItems(dst []byte) []byte {
	dst = append(dst, '[')
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.appendJSON(dst)
	}
	return append(dst, ']')
}

func (n *Node) appendEntries(dst []byte) []byte {
	dst = append(dst, '{')
	for i, e := range n.Entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, e.Key), ':')
		dst = e.Value.appendJSON(dst)
	}
	return append(dst, '}')
}

func appendFloat(dst []byte, f float64) []byte {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return append(dst, text...)
}

func appendText(dst []byte, s string) []byte {
	// The only error json.Marshal knows for a string is none.
	quoted, _ := json.Marshal(s)
	return append(dst, quoted...)
}
