package source

import (
	"slices"
	"strings"
	"time"
)

// Fields reads the map of one thing key by key. Each method that names a key
// makes the key known; Done reports the keys of the file that stayed unknown.
// All methods may be called on the Fields of a node that is no map, where every
// key is absent.
type Fields struct {
	// Node is the map, or nil where there was none.
	Node *Node

	rep   *Report
	what  string
	known map[string]bool
}

// Fields reads a node as the map of a thing, which what names with its article:
// "a node". A node that is no map is reported; a nil node is not. The result is
// never nil.
func (r *Report) Fields(n *Node, what string) *Fields {
	f := &Fields{rep: r, what: what, known: map[string]bool{}}
	if r.is(n, Map, what) {
		f.Node = n
	}
	return f
}

// Entries returns the entries of a map whose keys the user chose, in the order
// of the file, and reports a node that is no map. A nil node has none.
func (r *Report) Entries(n *Node, what string) []Entry {
	if !r.is(n, Map, what) {
		return nil
	}
	return n.Entries
}

// Take returns the value of a key, or nil if it is absent.
func (f *Fields) Take(key string) *Node {
	f.known[key] = true
	return f.Node.Get(key)
}

// Need is Take for a key that must be there: it reports its absence.
func (f *Fields) Need(key string) *Node {
	n := f.Take(key)
	if n == nil && f.Node != nil {
		f.rep.Errorf(f.Node.Pos, "%s needs the key %s", f.what, quoteKey(key))
	}
	return n
}

// Has tells whether a key is there, and makes it known.
func (f *Fields) Has(key string) bool { return f.Take(key) != nil }

// KeyPos is the place of a key, or of the map if the key is absent, or the zero
// Pos if there is no map. It does not make the key known.
func (f *Fields) KeyPos(key string) Pos {
	if e := f.Node.entry(key); e != nil {
		return e.KeyPos
	}
	if f.Node == nil {
		return Pos{}
	}
	return f.Node.Pos
}

// Allow makes keys known without reading them.
func (f *Fields) Allow(keys ...string) {
	for _, key := range keys {
		f.known[key] = true
	}
}

// Present returns which of the keys are there, in the order asked, and makes
// all of them known.
func (f *Fields) Present(keys ...string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !f.Has(key) })
}

// AtMostOne reports keys that exclude one another, at the second that is there,
// and returns the first, or "" if none is.
func (f *Fields) AtMostOne(keys ...string) string {
	present := f.Present(keys...)
	if len(present) == 0 {
		return ""
	}
	slices.SortFunc(present, func(a, b string) int {
		if f.KeyPos(a).Less(f.KeyPos(b)) {
			return -1
		}
		return 1
	})
	for _, key := range present[1:] {
		f.rep.Errorf(f.KeyPos(key), "%s cannot have both %s and %s", f.what, quoteKey(present[0]), quoteKey(key))
	}
	return present[0]
}

// Text reads the text of a key; false means absent or reported. So it is with
// the methods below, which are those of [Report].
func (f *Fields) Text(key string) (string, bool) { return f.rep.Text(f.Take(key), quoteKey(key)) }

// OneOf reads a text that is one of those allowed.
func (f *Fields) OneOf(key string, allowed ...string) (string, bool) {
	return f.rep.OneOf(f.Take(key), quoteKey(key), allowed...)
}

// Bool reads true or false; the value is false where ok is.
func (f *Fields) Bool(key string) (value, ok bool) { return f.rep.Bool(f.Take(key), quoteKey(key)) }

// Int reads a whole number from least to most.
func (f *Fields) Int(key string, least, most int64) (int64, bool) {
	return f.rep.Int(f.Take(key), quoteKey(key), least, most)
}

// Float reads a number from least to most.
func (f *Fields) Float(key string, least, most float64) (float64, bool) {
	return f.rep.Float(f.Take(key), quoteKey(key), least, most)
}

// Duration reads a duration from least to most.
func (f *Fields) Duration(key string, least, most time.Duration) (time.Duration, bool) {
	return f.rep.Duration(f.Take(key), quoteKey(key), least, most)
}

// Items reads the elements of a list.
func (f *Fields) Items(key string) ([]*Node, bool) { return f.rep.Items(f.Take(key), quoteKey(key)) }

// OneOrMany reads the elements of a list, or any other value as the only one.
func (f *Fields) OneOrMany(key string) []*Node { return OneOrMany(f.Take(key)) }

// Texts reads a list of texts.
func (f *Fields) Texts(key string) ([]string, bool) { return f.rep.Texts(f.Take(key), quoteKey(key)) }

// TextOrTexts reads a text or a list of texts.
func (f *Fields) TextOrTexts(key string) ([]string, bool) {
	return f.rep.TextOrTexts(f.Take(key), quoteKey(key))
}

// Entries reads a map whose keys the user chose.
func (f *Fields) Entries(key string) []Entry { return f.rep.Entries(f.Take(key), quoteKey(key)) }

// Fields reads a map of its own, which what names in messages.
func (f *Fields) Fields(key, what string) *Fields { return f.rep.Fields(f.Take(key), what) }

// Done reports every key of the map that no method named. It returns false if
// there is no map or one was reported.
func (f *Fields) Done() bool {
	if f.Node == nil {
		return false
	}
	ok := true
	for _, e := range f.Node.Entries {
		if !f.known[e.Key] {
			ok = false
			f.unknown(e)
		}
	}
	return ok
}

func (f *Fields) unknown(e Entry) {
	names := make([]string, 0, len(f.known))
	for key := range f.known {
		names = append(names, key)
	}
	d := f.rep.Unknown(e.KeyPos, "key", e.Key, names)
	d.Message += " in " + f.what
	if before, after, ok := strings.Cut(e.Key, ":"); ok && f.known[before] {
		d.Hint = "write a space behind the colon: " + excerpt(before+": "+after)
	}
}

// quoteKey is a key as messages show it.
func quoteKey(key string) string { return excerpt(key) }
