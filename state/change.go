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
	op      Verb
	variant uint8
	apply   func(st any, sl *slot, c *Change) error
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

// Changes is the update of one task: its writes in the order they were made.
// The first three need no allocation. The zero value is an empty update.
type Changes struct {
	n    int
	few  [3]Change
	more []Change
}

// Len returns the number of writes.
func (u *Changes) Len() int { return u.n }

// At returns the i-th write, which the caller must not change.
func (u *Changes) At(i int) *Change {
	if i < len(u.few) {
		return &u.few[i]
	}
	return &u.more[i-len(u.few)]
}

// Add appends a write. A Changes value that was copied must not be added to
// through both copies.
func (u *Changes) Add(c Change) {
	if u.n < len(u.few) {
		u.few[u.n] = c
	} else {
		u.more = append(u.more, c)
	}
	u.n++
}

// AddAll appends all writes of other.
func (u *Changes) AddAll(other *Changes) {
	for i := range other.Len() {
		u.Add(*other.At(i))
	}
}

// Clone returns a copy that shares nothing that Add could change.
func (u *Changes) Clone() Changes {
	c := *u
	c.more = append([]Change(nil), u.more...)
	return c
}

// ChangesOf collects the writes of one update.
func ChangesOf[S any](writes []Write[S]) Changes {
	u := Changes{n: len(writes)}
	k := len(writes)
	if k > len(u.few) {
		k = len(u.few)
		u.more = make([]Change, 0, len(writes)-k)
		for i := k; i < len(writes); i++ {
			u.more = append(u.more, writes[i].change)
		}
	}
	for i := range k {
		u.few[i] = writes[i].change
	}
	return u
}
