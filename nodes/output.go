package nodes

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/graphrun/graphrun/internal/schemacheck"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Output holds an agent's answer to a schema, and puts it into the state.
// JSON and JSONSchema make one.
type Output[S any] struct {
	shape shape
	write func(value []byte) ([]state.Write[S], error)
}

// shape is a schema that answers are checked with.
type shape struct {
	model.Schema
	checker *schemacheck.Schema
}

// JSON makes an Output of a type: the schema is that of V as encoding/json
// writes it, with the descriptions of tags "jsonschema". An answer that does
// not fit is shown to the model with what is wrong, once; then the turn fails by
// an ErrAnswer. write may be nil: the answer is a message alone.
func JSON[S, V any](name string, write func(v V) []state.Write[S]) (*Output[S], error) {
	schema, err := schemaOf[V]()
	if err != nil {
		return nil, err
	}
	return newOutput(name, schema, func(value []byte) ([]state.Write[S], error) {
		var v V
		if err := json.Unmarshal(value, &v); err != nil || write == nil {
			return nil, err
		}
		return write(v), nil
	})
}

// JSONSchema makes an Output of a schema. write gets the answer as JSON; nil:
// the answer is a message alone.
func JSONSchema[S any](name string, schema json.RawMessage, write func(value json.RawMessage) ([]state.Write[S], error)) (*Output[S], error) {
	return newOutput(name, schema, func(value []byte) ([]state.Write[S], error) {
		if write == nil {
			return nil, nil
		}
		return write(value)
	})
}

func newOutput[S any](name string, schema json.RawMessage, write func([]byte) ([]state.Write[S], error)) (*Output[S], error) {
	checker, err := schemacheck.Compile(schema)
	if err != nil {
		return nil, fmt.Errorf("nodes: the schema of the output %q: %w", name, err)
	}
	return &Output[S]{shape: shape{Schema: model.Schema{Name: name, Schema: schema}, checker: checker}, write: write}, nil
}

// read takes the JSON out of an answer, which may be fenced, and tells what is
// wrong with it.
func (s *shape) read(text string) (value []byte, problems string) {
	text = schemacheck.Unfenced(text)
	if err := s.checker.Check([]byte(text)); err != nil {
		return nil, err.Error()
	}
	return []byte(text), ""
}

// schemaOf is the JSON Schema of a type.
func schemaOf[V any]() (json.RawMessage, error) {
	s, err := jsonschema.For[V](nil)
	if err != nil {
		return nil, fmt.Errorf("nodes: the type %T has no JSON Schema: %w", *new(V), err)
	}
	return json.Marshal(s)
}
