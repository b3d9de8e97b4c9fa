package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// rawForm is how a field without a schema is changed.
type rawForm uint8

const (
	rawList     rawForm = iota // a list that grows
	rawEntries                 // an object, by key
	rawMessages                // a list, by the ids of its elements
)

// rawField is a field that is being changed, in a form in which a change costs
// what it touches.
type rawField struct {
	form    rawForm
	list    []byte // from its bracket on, without its end
	entries map[string]json.RawMessage
	items   []json.RawMessage
	at      map[string]int // by id
}

// openRaw reads a field's value; none and null are empty ones.
func openRaw(form rawForm, now json.RawMessage) (*rawField, error) {
	f := &rawField{form: form}
	if now = bytes.TrimSpace(now); len(now) == 0 || string(now) == "null" {
		now = json.RawMessage("[]")
		if form == rawEntries {
			now = json.RawMessage("{}")
		}
	}
	switch form {
	case rawList:
		if now[0] != '[' {
			return nil, wrongJSON("a list to append to", now)
		}
		f.list = bytes.Clone(bytes.TrimSpace(now[:len(now)-1]))
	case rawEntries:
		if now[0] != '{' {
			return nil, wrongJSON("an object with keys", now)
		}
		return f, decodeRaw(now, &f.entries)
	case rawMessages:
		if now[0] != '[' {
			return nil, wrongJSON("a list of messages", now)
		}
		var items []json.RawMessage
		if err := decodeRaw(now, &items); err != nil {
			return nil, err
		}
		f.index(items)
	}
	return f, nil
}

func decodeRaw(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	return nil
}

// text returns the field's value.
func (f *rawField) text() json.RawMessage {
	out := []byte{}
	switch f.form {
	case rawList:
		return append(bytes.Clone(f.list), ']')
	case rawMessages:
		for i, e := range f.items {
			out = append(append(out, comma(i)...), e...)
		}
		return append(append([]byte{'['}, out...), ']')
	}
	for i, k := range slices.Sorted(maps.Keys(f.entries)) {
		out, _ = appendString(append(out, comma(i)...), k) // keys were read from JSON
		out = append(append(out, ':'), f.entries[k]...)
	}
	return append(append([]byte{'{'}, out...), '}')
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// grow appends the elements of a list.
func (f *rawField) grow(value []byte) error {
	if value[0] != '[' {
		return wrongJSON("a list", value)
	}
	more := bytes.TrimSpace(value[1 : len(value)-1])
	if len(more) == 0 {
		return nil
	}
	if len(f.list) > 1 {
		f.list = append(f.list, ',')
	}
	f.list = append(f.list, more...)
	return nil
}

// put takes entries over.
func (f *rawField) put(value []byte) error {
	var entries map[string]json.RawMessage
	if err := decodeRaw(value, &entries); err != nil {
		return err
	}
	maps.Copy(f.entries, entries)
	return nil
}

// drop takes keys away.
func (f *rawField) drop(value []byte) error {
	keys, err := rawKeys(value)
	for _, k := range keys {
		delete(f.entries, k)
	}
	return err
}

// rawKeys reads the keys that a deletion lists. Numbers are keys as they are
// written.
func rawKeys(value []byte) ([]string, error) {
	if value[0] == '{' {
		var entries map[string]json.RawMessage
		err := decodeRaw(value, &entries)
		return slices.Sorted(maps.Keys(entries)), err
	}
	var list []json.RawMessage
	if err := decodeRaw(value, &list); err != nil {
		return nil, err
	}
	keys := make([]string, len(list))
	for i, k := range list {
		switch {
		case k[0] == '"':
			if err := decodeRaw(k, &keys[i]); err != nil {
				return nil, err
			}
		case k[0] == '-' || k[0] >= '0' && k[0] <= '9':
			keys[i] = string(k)
		default:
			return nil, fmt.Errorf("key %d: %w", i, wrongJSON("a text or a number", k))
		}
	}
	return keys, nil
}

// add puts messages in the places of those with their ids, or at the end.
func (f *rawField) add(value []byte) error {
	if value[0] != '[' {
		return wrongJSON("a list of messages or an object", value)
	}
	var items []json.RawMessage
	if err := decodeRaw(value, &items); err != nil {
		return err
	}
	for _, e := range items {
		id := rawID(e)
		if i, there := f.at[id]; there && id != "" {
			f.items[i] = e
			continue
		}
		if id != "" {
			f.at[id] = len(f.items)
		}
		f.items = append(f.items, e)
	}
	return nil
}

// remove takes the messages with the ids away.
func (f *rawField) remove(value []byte) error {
	ids, err := rawKeys(value)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, id := range ids {
		if _, there := f.at[id]; !there {
			return fmt.Errorf("%w: no message has the id %q to remove", ErrValue, id)
		}
		gone[id] = true
	}
	if len(gone) > 0 {
		f.index(slices.DeleteFunc(f.items, func(e json.RawMessage) bool { return gone[rawID(e)] }))
	}
	return nil
}

// index makes items the field's messages.
func (f *rawField) index(items []json.RawMessage) {
	f.items, f.at = items, make(map[string]int, len(items))
	for i, e := range items {
		if id := rawID(e); id != "" {
			f.at[id] = i
		}
	}
}

// rawID returns the id of a message, "" if it has none.
func rawID(e json.RawMessage) string {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(e, &m) != nil {
		return ""
	}
	id, _ := m.ID.(string)
	return id
}
