package state

// Verb says what a write does to its field.
type Verb uint8

// The verbs, by the names under which updates are stored.
const (
	VerbSet     Verb = iota + 1 // a Value takes a new value
	VerbAppend                  // a List grows
	VerbAdd                     // a Counter is changed by an amount
	VerbPut                     // a Map, Dict or Messages field takes entries
	VerbDelete                  // a Map, Dict or Messages field loses entries
	VerbReduce                  // a Reduced field takes an operand
	VerbReplace                 // any field takes a whole new value, whatever its reducer
)

var verbNames = [...]string{"", "set", "append", "add", "put", "delete", "reduce", "replace"}

// String returns the verb's stored name, "unknown" for a value that is none.
func (v Verb) String() string {
	if v == 0 || int(v) >= len(verbNames) {
		return "unknown"
	}
	return verbNames[v]
}

// ParseVerb returns the verb of a stored name; false if there is none.
func ParseVerb(name string) (Verb, bool) {
	for i, n := range verbNames {
		if i > 0 && n == name {
			return Verb(i), true
		}
	}
	return 0, false
}

// Write is one change of one field of a state S. Handles make writes
// (Draft.Set, Tokens.Add); the zero Write changes nothing and is an error
// where it is used. A Write is immutable and may be used any number of times.
type Write[S any] struct{ change Change }

// Change returns the write without its state type, as the engine carries it.
func (w Write[S]) Change() Change { return w.change }

// WriteOf gives a change back its state type. It is for packages that carry
// changes between typed borders and have checked that c belongs to S.
func WriteOf[S any](c Change) Write[S] { return Write[S]{c} }

// Change is a write as the engine carries it: a field, a verb, a value.
// Numbers and booleans travel in word, everything else in val.
type Change struct {
	verb *verb
	val  any
	word uint64
}

// verb is one way in which one field can be changed. A field may have two
// verbs under one name, for one element and for several.
type verb struct {
	field   *column
	pos     int // of the field
	op      Verb
	variant uint8
	apply   func(st any, sl *slot, c *Change) error
	row     string // how a row of the verb begins: ["field","verb",
}

// Field returns the name of the field, "" for the zero Change.
func (c Change) Field() string {
	if c.verb == nil {
		return ""
	}
	return c.verb.field.name
}

// Verb returns what the change does, 0 for the zero Change.
func (c Change) Verb() Verb {
	if c.verb == nil {
		return 0
	}
	return c.verb.op
}

// pack puts a value into a change: numbers and booleans without allocation.
// It looks at the declared type V, not at what an `any` holds.
func pack[V any](v V) (val any, word uint64) {
	switch p := any(&v).(type) {
	case *int:
		return nil, uint64(*p)
	case *int64:
		return nil, uint64(*p)
	case *float64:
		return nil, floatBits(*p)
	case *bool:
		if *p {
			return nil, 1
		}
		return nil, 0
	}
	return box(v), 0
}

// box is apart from pack so that values which need no box stay off the heap.
func box[V any](v V) any { return v }

// unpack is the inverse of pack.
func unpack[V any](c *Change) (v V) {
	if c.val != nil {
		return c.val.(V)
	}
	switch p := any(&v).(type) {
	case *int:
		*p = int(c.word)
	case *int64:
		*p = int64(c.word)
	case *float64:
		*p = floatFrom(c.word)
	case *bool:
		*p = c.word != 0
	}
	return v
}
