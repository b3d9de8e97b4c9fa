package checkpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CheckItem reports all that is wrong with an item that is to be stored. It
// fails with ErrInvalid. Stores call it first.
func CheckItem(item *Item) error {
	problems := checkPlace(item.NS, item.Key)
	if !json.Valid(item.Value) {
		problems = append(problems, fmt.Errorf("item %q, %q: its value is no JSON value", item.NS, item.Key))
	}
	if item.TTL < 0 {
		problems = append(problems, fmt.Errorf("item %q, %q: it cannot live for %v; 0 stands for ever", item.NS, item.Key, item.TTL))
	}
	return invalid(problems)
}

func checkPlace(ns []string, key string) (problems []error) {
	if len(ns) == 0 {
		problems = append(problems, fmt.Errorf("item %q: its namespace has no part", key))
	}
	for i, part := range ns {
		if part == "" || strings.ContainsRune(part, 0) {
			problems = append(problems, fmt.Errorf("item %q: part %d of its namespace, %q, is empty or has a NUL byte", key, i+1, part))
		}
	}
	if key == "" {
		problems = append(problems, fmt.Errorf("an item of namespace %q has no key", ns))
	}
	return problems
}

// Compare orders items by namespace, part by part, and then by key.
func (i *Item) Compare(other *Item) int {
	if c := slices.Compare(i.NS, other.NS); c != 0 {
		return c
	}
	return strings.Compare(i.Key, other.Key)
}

// Filter is the Filter of an ItemQuery, ready for use, for stores that look at
// values themselves. Many goroutines may use it. The nil Filter fits all.
type Filter struct {
	names  []string
	values []any
}

// NewFilter reads what members must be equal to. A value that is no JSON is
// ErrInvalid.
func NewFilter(members map[string][]byte) (*Filter, error) {
	f := &Filter{names: slices.Sorted(maps.Keys(members))}
	var problems []error
	for _, name := range f.names {
		v, err := decodeJSON(members[name])
		if err != nil {
			problems = append(problems, fmt.Errorf("filter %q: %q is no JSON value: %w", name, members[name], err))
		}
		f.values = append(f.values, v)
	}
	return f, invalid(problems)
}

// Fits reports whether a value is an object with members equal to all of the
// filter's. Numbers are equal by what they stand for, 1 and 1.0, objects
// whatever the order of their members; of members of one name the last counts.
func (f *Filter) Fits(value []byte) bool {
	if f == nil || len(f.names) == 0 {
		return true
	}
	v, err := decodeJSON(value)
	if err != nil {
		return false
	}
	object, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for i, name := range f.names {
		member, ok := object[name]
		if !ok || !equalJSON(member, f.values[i]) {
			return false
		}
	}
	return true
}
