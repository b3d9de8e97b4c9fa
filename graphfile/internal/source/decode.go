package source

import (
	"math"
	"time"
)

// The methods of Report below read a node as a type. What names the value in
// messages, with its quotes: `"goto"`. Where the value is not of the type they
// report it and return false; a nil node is a value that is not there, which
// returns false without a report.

func (r *Report) mismatch(n *Node, what, want string) *Diagnostic {
	return r.Errorf(n.Pos, "%s: expected %s, found %s", what, want, n.Kind)
}

func (r *Report) is(n *Node, k Kind, what string) bool {
	if n == nil {
		return false
	}
	if n.Kind != k {
		d := r.mismatch(n, what, k.String())
		if k == Bool && n.Kind == String {
			d.Hint = "write true or false, without quotes"
		}
		if k == String && n.Kind < String && n.Text != "" {
			d.Hint = "put it in quotes to make it text: " + `"` + n.Text + `"`
		}
		return false
	}
	return true
}

// Text reads a text.
func (r *Report) Text(n *Node, what string) (string, bool) {
	if !r.is(n, String, what) {
		return "", false
	}
	return n.Text, true
}

// OneOf reads a text that is one of those allowed.
func (r *Report) OneOf(n *Node, what string, allowed ...string) (string, bool) {
	text, ok := r.Text(n, what)
	if !ok {
		return "", false
	}
	for _, a := range allowed {
		if a == text {
			return text, true
		}
	}
	r.Errorf(n.Pos, "%s: unknown value %s", what, excerpt(text)).Hint = choice(text, allowed)
	return "", false
}

// Bool reads true or false.
func (r *Report) Bool(n *Node, what string) (bool, bool) {
	if !r.is(n, Bool, what) {
		return false, false
	}
	return n.Bool, true
}

// Int reads a whole number from least to most, both included.
func (r *Report) Int(n *Node, what string, least, most int64) (int64, bool) {
	if !r.is(n, Int, what) {
		return 0, false
	}
	switch {
	case n.Int < least && most == math.MaxInt64:
		r.Errorf(n.Pos, "%s: %d is too small: it must be at least %d", what, n.Int, least)
	case n.Int < least || n.Int > most:
		r.Errorf(n.Pos, "%s: %d is out of range: it must be from %d to %d", what, n.Int, least, most)
	default:
		return n.Int, true
	}
	return 0, false
}

// Float reads a number from least to most, both included. A whole number is
// read too if a float can hold it exactly.
func (r *Report) Float(n *Node, what string, least, most float64) (float64, bool) {
	if n == nil {
		return 0, false
	}
	v := n.Float
	switch n.Kind {
	case Int:
		const exact = 1 << 53
		if v = float64(n.Int); n.Int < -exact || n.Int > exact {
			r.Errorf(n.Pos, "%s: a 64-bit float cannot hold %d exactly", what, n.Int)
			return 0, false
		}
	case Float:
	default:
		r.mismatch(n, what, Float.String())
		return 0, false
	}
	if v < least || v > most {
		r.Errorf(n.Pos, "%s: %v is out of range: it must be from %v to %v", what, v, least, most)
		return 0, false
	}
	return v, true
}

// Duration reads a text like "500ms", "2s" or "1h30m", from least to most, both
// included. The number 0 needs no unit.
func (r *Report) Duration(n *Node, what string, least, most time.Duration) (time.Duration, bool) {
	if n == nil {
		return 0, false
	}
	const example = `write it like "500ms", "2s" or "1h30m"`
	if n.Kind != String && (n.Kind != Int || n.Int != 0) {
		r.mismatch(n, what, "a duration").Hint = example
		return 0, false
	}
	d, err := time.ParseDuration(n.Text)
	switch {
	case n.Kind == String && err != nil:
		r.Errorf(n.Pos, "%s: %s is not a duration", what, excerpt(n.Text)).Hint = example
		return 0, false
	case d < least || d > most:
		r.Errorf(n.Pos, "%s: %s is out of range: it must be from %s to %s", what, d, least, most)
		return 0, false
	}
	return d, true
}

// Items reads the elements of a list.
func (r *Report) Items(n *Node, what string) ([]*Node, bool) {
	if !r.is(n, List, what) {
		return nil, false
	}
	return n.Items, true
}

// Texts reads a list of texts. It reports every element that is none and
// returns the others, and true only if all were texts.
func (r *Report) Texts(n *Node, what string) ([]string, bool) {
	items, ok := r.Items(n, what)
	return r.texts(items, ok, "each of "+what)
}

// TextOrTexts reads one text, or a list of them like [Report.Texts].
func (r *Report) TextOrTexts(n *Node, what string) ([]string, bool) {
	if n != nil && n.Kind != String && n.Kind != List {
		r.mismatch(n, what, "text or a list")
		return nil, false
	}
	return r.texts(OneOrMany(n), n != nil, what)
}

func (r *Report) texts(items []*Node, ok bool, what string) ([]string, bool) {
	var out []string
	for _, item := range items {
		text, good := r.Text(item, what)
		if ok = ok && good; good {
			out = append(out, text)
		}
	}
	return out, ok
}

// OneOrMany returns the elements of a list, and any other node as the only
// element. A nil node gives none.
func OneOrMany(n *Node) []*Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == List:
		return n.Items
	}
	return []*Node{n}
}
