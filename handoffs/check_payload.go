package handoffs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// wrongPayload says what the payload lacks of what its edge wants.
func (c *Case) wrongPayload() []Failure {
	e := c.Edge
	if e.Payload == nil && !e.Closed {
		return nil
	}
	var problems []string
	for i := range e.Payload {
		if what := e.Payload[i].wrong(c.Command.Payload); what != "" {
			problems = append(problems, e.Payload[i].Key+": "+what)
		}
	}
	if e.Closed {
		problems = append(problems, e.unnamed(c.Command.Payload)...)
	}
	if problems == nil {
		return nil
	}
	f := c.failure(CodePayload, "value", strings.Join(problems, "; "))
	f.Rule = e.Name
	return []Failure{f}
}

// unnamed tells of the keys of a payload that the edge does not name, sorted.
func (e *Edge) unnamed(payload map[string]any) []string {
	var out []string
	for key := range payload {
		if !slices.ContainsFunc(e.Payload, func(f PayloadField) bool { return f.Key == key }) {
			out = append(out, shortJSON(key)+": the key is unknown")
		}
	}
	slices.Sort(out)
	return out
}

// wrong says what is wrong with a key of a payload; "": nothing. Null is as if
// the key were not there, but for keys of any type.
func (f *PayloadField) wrong(payload map[string]any) string {
	v, there := payload[f.Key]
	switch {
	case !there, v == nil && !f.anything():
		if f.Optional {
			return ""
		}
		return "it is missing"
	case !f.anything() && !isOfType(v, f.Type):
		return fmt.Sprintf("want %s, got %s", f.Type, jsonTypeName(v))
	case f.Enum != nil && !slices.ContainsFunc(f.Enum, func(one any) bool { return sameValue(one, v) }):
		return fmt.Sprintf("want one of %v, got %v", f.Enum, v)
	}
	return ""
}

func (f *PayloadField) anything() bool { return f.Type == "" || f.Type == "any" }

// isOfType reports whether a value is of a type. Whole numbers are floats too.
func isOfType(v any, want string) bool {
	is := jsonTypeName(v)
	return is == want || want == "float" && is == "int"
}

// sameValue compares values; numbers by what they are worth.
func sameValue(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case x.CanInt() && y.CanInt():
		return x.Int() == y.Int()
	case x.CanFloat() && y.CanFloat():
		return x.Float() == y.Float()
	case x.CanInt() && y.CanFloat():
		return float64(x.Int()) == y.Float()
	case x.CanFloat() && y.CanInt():
		return x.Float() == float64(y.Int())
	}
	return reflect.DeepEqual(a, b)
}
