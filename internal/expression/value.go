package expression

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Value is a whole value of a graph file whose strings are templates, deep
// inside lists and maps; the keys of maps are taken as written. It is
// immutable and may be used by many goroutines at once.
type Value struct {
	make     func(f *frame) (any, error)
	kind     Type
	constant bool
}

// CompileValue checks and compiles a value of nil, bools, numbers, strings,
// []any and map[string]any; integers of every size become int64. The value is
// not changed and not kept. Its error is an *Error with a Path, or Errors
// where there are several problems.
func CompileValue(v any, s Scope) (*Value, error) {
	c := &valueCompiler{scope: s}
	value := c.compile(v, "", 0)
	if len(c.problems) > 0 {
		return nil, c.problems.err()
	}
	return value, nil
}

// Type is the type of the value.
func (v *Value) Type() Type { return v.kind }

// Constant says whether the value is the same in every Env.
func (v *Value) Constant() bool { return v.constant }

// Eval makes the value. It may share lists and maps with the Env and with
// other values made of this one: it is for reading only. Errors are of type
// *Error. The strings in it share one budget.
func (v *Value) Eval(env Env) (any, error) {
	return v.make(newFrame(env))
}

// valueCompiler collects the problems of a value.
type valueCompiler struct {
	scope    Scope
	problems Errors
}

func (c *valueCompiler) fail(path string, err error) *Value {
	problem := at(0, err).(*Error)
	problem.Path = path
	c.problems = append(c.problems, problem)
	return &Value{}
}

func (c *valueCompiler) compile(v any, path string, depth int) *Value {
	if depth > maxDepth {
		return c.fail(path, limitf("the value is nested more than %d deep", maxDepth))
	}
	switch v := v.(type) {
	case string:
		return c.text(v, path)
	case []any:
		return c.list(v, path, depth)
	case map[string]any:
		return c.mapping(v, path, depth)
	}
	value, err := scalar(v)
	if err != nil {
		return c.fail(path, err)
	}
	kind, _ := kindOf(value)
	return fixed(value, Type{Kind: kind})
}

// fixed is a value without expressions.
func fixed(value any, kind Type) *Value {
	return &Value{constant: true, kind: kind, make: func(*frame) (any, error) { return value, nil }}
}

func (c *valueCompiler) text(text, path string) *Value {
	t, problems := compileTemplate(text, c.scope)
	for _, problem := range problems {
		problem.Path = path
		c.problems = append(c.problems, problem)
	}
	if len(problems) > 0 {
		return &Value{}
	}
	return &Value{kind: t.Type(), constant: t.Constant(), make: func(f *frame) (any, error) {
		value, err := t.value(f)
		if problem, ok := err.(*Error); ok && path != "" {
			placed := *problem
			placed.Path = path
			return nil, &placed
		}
		return value, err
	}}
}

func (c *valueCompiler) list(list []any, path string, depth int) *Value {
	parts := make([]*Value, len(list))
	made := &Value{constant: true}
	var elem Type
	for i, element := range list {
		parts[i] = c.compile(element, fmt.Sprintf("%s[%d]", path, i), depth+1)
		made.constant = made.constant && parts[i].constant
		if i == 0 {
			elem = parts[i].kind
		} else {
			elem = either(elem, parts[i].kind)
		}
	}
	made.kind = listOf(elem)
	made.make = func(f *frame) (any, error) {
		if err := f.budget.list(len(parts)); err != nil {
			return nil, at(0, err)
		}
		list := make([]any, len(parts))
		for i, part := range parts {
			value, err := part.make(f)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	}
	return c.settled(made)
}

func (c *valueCompiler) mapping(from map[string]any, path string, depth int) *Value {
	names := slices.Sorted(maps.Keys(from))
	parts := make([]*Value, len(names))
	made := &Value{constant: true, kind: Type{Kind: Map}}
	for i, name := range names {
		parts[i] = c.compile(from[name], below(path, name), depth+1)
		made.constant = made.constant && parts[i].constant
	}
	made.make = func(f *frame) (any, error) {
		if err := f.budget.take(entrySize * len(parts)); err != nil {
			return nil, at(0, err)
		}
		built := make(map[string]any, len(parts))
		for i, part := range parts {
			value, err := part.make(f)
			if err != nil {
				return nil, err
			}
			built[names[i]] = value
		}
		return built, nil
	}
	return c.settled(made)
}

// settled makes a constant value once, where nothing is wrong with it.
func (c *valueCompiler) settled(v *Value) *Value {
	if !v.constant || len(c.problems) > 0 {
		return v
	}
	value, err := v.Eval(Values{})
	if err != nil {
		return v
	}
	return fixed(value, v.kind)
}

// below is the path of a key in a map.
func below(path, key string) string {
	switch {
	case !Direct(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
