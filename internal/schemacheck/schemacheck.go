// Package schemacheck checks JSON against JSON Schemas that come from others: a
// schema may refer to its own parts alone, and what is wrong with a value is told
// all at once, each with its place.
package schemacheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a schema that values are checked with. It does not change and may be
// used by several goroutines at once.
type Schema struct{ s *jsonschema.Schema }

// name is the schema's name in messages. It is absolute, for the library
// takes another one for a file of the directory at work.
const name = "schema:///"

// Compile reads a schema. Without a "$schema" it is one of draft 2020-12.
func Compile(data json.RawMessage) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noFiles{})
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, err
	}
	return &Schema{s}, nil
}

// noFiles lets schemas refer to nothing outside themselves: they may come from a
// model.
type noFiles struct{}

// Load says that there is no such schema.
func (noFiles) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may refer to its own parts only, not to %s", url)
}

// Problems are what the schema has against JSON, each with its place; nil: it
// fits.
func (s *Schema) Problems(data []byte) []string {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return []string{"it is no JSON: " + err.Error()}
	}
	return s.ProblemsOf(doc)
}

// ProblemsOf are what the schema has against a value as encoding/json makes it.
func (s *Schema) ProblemsOf(doc any) (texts []string) {
	err := s.s.Validate(doc)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		inOrder(e)
	}
	lines := strings.Split(err.Error(), "\n")
	for _, line := range lines[1:] { // the first one names the schema
		texts = append(texts, strings.TrimPrefix(strings.TrimSpace(line), "- "))
	}
	if texts == nil {
		texts = lines
	}
	return texts
}

// inOrder puts the causes of an error in the order of their places: the library
// has them as it came by the keys of a map.
func inOrder(e *jsonschema.ValidationError) {
	place := func(c *jsonschema.ValidationError) string {
		return strings.Join(c.InstanceLocation, "/") + "\x00" + strings.Join(c.ErrorKind.KeywordPath(), "/")
	}
	slices.SortStableFunc(e.Causes, func(a, b *jsonschema.ValidationError) int { return cmp.Compare(place(a), place(b)) })
	for _, c := range e.Causes {
		inOrder(c)
	}
}

// Check is Problems as one error.
func (s *Schema) Check(data []byte) error {
	if ps := s.Problems(data); ps != nil {
		return errors.New(strings.Join(ps, "; "))
	}
	return nil
}

// Unfenced takes the fence of three backquotes off that models put around
// JSON.
func Unfenced(text string) string {
	text = strings.TrimSpace(text)
	body, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	if i := strings.IndexByte(body, '\n'); i >= 0 {
		body = body[i+1:]
	}
	if i := strings.LastIndex(body, "```"); i >= 0 {
		body = body[:i]
	}
	return strings.TrimSpace(body)
}
