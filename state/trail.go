package state

import (
	"fmt"
	"strconv"
)

// trail is the way from a field's value to a part of it, for errors. It costs
// nothing until it is shown. A nil trail is the value itself.
type trail struct {
	up    *trail
	key   string // of a map or struct
	index int    // of a list, where key is empty
	list  bool
	depth int
}

func (t *trail) down() int {
	if t == nil {
		return 1
	}
	return t.depth + 1
}

func (t *trail) item(i int) trail { return trail{up: t, index: i, list: true, depth: t.down()} }

func (t *trail) member(key string) trail { return trail{up: t, key: key, depth: t.down()} }

// tooDeep reports whether a list or map here would be nested too deep.
func (t *trail) tooDeep() bool { return t != nil && t.depth >= maxDepth }

func (t *trail) String() string {
	if t == nil {
		return ""
	}
	if t.list {
		return t.up.String() + "[" + strconv.Itoa(t.index) + "]"
	}
	return t.up.String() + "." + t.key
}

// of gives an error about the value at t its place.
func (t *trail) of(err error) error {
	if err == nil || t == nil {
		return err
	}
	return fmt.Errorf("at %s: %w", t.short(), err)
}

// unfit makes the error about a value at t.
func (t *trail) unfit(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if t == nil {
		return fmt.Errorf("%w: %s", ErrValue, text)
	}
	return fmt.Errorf("at %s: %w: %s", t.short(), ErrValue, text)
}

// short is String in a length that can be read.
func (t *trail) short() string {
	at := t.String()
	if len(at) > 200 {
		at = at[:100] + "…"
	}
	return at
}
