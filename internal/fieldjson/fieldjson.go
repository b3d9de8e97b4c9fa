// Package fieldjson puts values of Go types into the fields of states without a
// struct, and takes them out: by their JSON, so that what comes back is what a
// state keeps.
package fieldjson

import (
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/state"
)

// Read decodes a field's value into v, which stays as it is if the field has
// none. Its error names the field.
func Read[V any](r *state.Record, field string, v *V) error {
	value, ok := r.Get(field)
	if !ok || value == nil {
		return nil
	}
	if err := Into(value, v); err != nil {
		return fmt.Errorf("field %q: %w", field, err)
	}
	return nil
}

// Into turns a value of any into one of a type.
func Into[V any](from any, into *V) error {
	data, err := state.AppendAny(nil, from)
	if err != nil {
		return err
	}
	return state.ParseInto(data, into)
}

// Any turns a value of a type into one of any. What writes its own JSON keeps
// the kinds of its numbers.
func Any(v any) (any, error) {
	var data []byte
	var err error
	if own, ok := v.(state.Encoder); ok {
		data, err = own.AppendJSON(nil)
	} else {
		data, err = json.Marshal(v)
	}
	if err != nil {
		return nil, err
	}
	return state.ParseAny(data)
}

// List is Any for each element of a list.
func List[T any](list []T) ([]any, error) {
	out := make([]any, len(list))
	for i := range list {
		var err error
		if out[i], err = Any(list[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
