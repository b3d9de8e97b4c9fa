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

// wrongResult says why what a frame's agent has done is not what its call is
// owed; "": it is. A part of it, or a failure, is of no type.
func (p *Policy) wrongResult(f *Frame, out *Outcome) string {
	if f.Detached || anyResult(f.Owes) || out.Status != Completed {
		return ""
	}
	what := ""
	switch fields, known := p.Results[f.Owes]; {
	case known:
		what = wrongFields(fields, out.Value)
	case !slices.Contains([]string{"string", "int", "float", "bool", "list", "map"}, f.Owes):
	case f.Owes == "string" && out.Value == nil && out.Text != "":
	case !isOfType(out.Value, f.Owes):
		what = "it is " + jsonTypeName(out.Value)
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf("The result must be of the type %s: %s. Return one that is.", f.Owes, what)
}

// wrongFields says what a map lacks of some fields; "": nothing.
func wrongFields(fields []PayloadField, value any) string {
	m, ok := value.(map[string]any)
	if !ok {
		return "it is " + jsonTypeName(value)
	}
	var problems []string
	for i := range fields {
		if what := fields[i].wrong(m); what != "" {
			problems = append(problems, fields[i].Key+": "+what)
		}
	}
	return strings.Join(problems, "; ")
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
