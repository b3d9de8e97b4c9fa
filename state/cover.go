package state

import (
	"fmt"
	"reflect"
	"strings"
)

// add takes the columns of one field or group into the layout and returns
// what is wrong with them.
func (l *Layout) add(cols []*column, aliases []string) (problems []error) {
	if len(aliases) > 0 && len(cols) != 1 {
		problems = append(problems, fmt.Errorf("a group of fields cannot be renamed as one"))
		aliases = nil
	}
	for _, col := range cols {
		if col.err != nil {
			problems = append(problems, fmt.Errorf("field %q: %w", col.name, col.err))
			if col.kind == "" {
				continue
			}
		}
		problems = append(problems, l.name(col, aliases)...)
		if col.err == nil {
			for _, loss := range losses(col.value, fmt.Sprintf("field %q", col.name), nil) {
				problems = append(problems, fmt.Errorf("%s", loss))
			}
		}
		l.cols = append(l.cols, col)
	}
	return problems
}

// name gives the next column its names.
func (l *Layout) name(col *column, aliases []string) (problems []error) {
	for _, name := range append([]string{col.name}, aliases...) {
		at, twice := l.byName[name]
		switch {
		case strings.TrimSpace(name) == "":
			problems = append(problems, fmt.Errorf("a field of %v has no name", l.typ))
		case !validName(name):
			problems = append(problems, fmt.Errorf("the name %q is not valid UTF-8", name))
		case twice && at == len(l.cols):
			problems = append(problems, fmt.Errorf("field %q has the name %q twice", col.name, name))
		case twice:
			problems = append(problems, fmt.Errorf("the name %q is used by two fields (%s and %s)", name, l.cols[at].name, col.name))
		default:
			l.byName[name] = len(l.cols)
		}
	}
	return problems
}

func validName(name string) bool { return strings.ToValidUTF8(name, "") == name }

// cover checks every field of the struct against the handles.
func (l *Layout) cover() []error {
	c := coverage{layout: l, used: make([]bool, len(l.cols))}
	for _, loss := range promoted(l.typ, l.typ.Name()) {
		c.refuse("%s", loss)
	}
	c.walk(l.typ, 0, l.typ.Name())
	for i, col := range l.cols {
		if !c.used[i] && col.err == nil {
			c.refuse("field %q does not refer to an exported field of %v", col.name, l.typ)
		}
	}
	return c.problems
}

// coverage is the comparison of a struct's fields with the handles.
type coverage struct {
	layout   *Layout
	used     []bool // by column: it is the handle of a field
	problems []error
}

func (c *coverage) refuse(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("%w: %s", ErrSchema, fmt.Sprintf(format, args...)))
}

func (c *coverage) walk(t reflect.Type, base uintptr, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at, off := path+"."+f.Name, base+f.Offset
		if f.Name == "_" {
			continue
		}
		if !f.IsExported() && !f.Anonymous {
			c.refuse("%s is unexported and would be lost", at)
			continue
		}
		exact, inside := c.handles(f.Type, off)
		switch {
		case len(exact) > 1:
			c.refuse("fields %s refer to the same field %s", quoted(exact), at)
		case len(exact) == 1 && len(inside) > 0:
			c.refuse("field %q is all of %s, but %s refer to parts of it", exact[0], at, quoted(inside))
		case len(exact) == 0 && f.Type.Kind() == reflect.Struct && len(inside) > 0:
			c.walk(f.Type, off, at)
		case len(exact) == 0:
			c.refuse("%s has no handle", at)
		}
	}
}

// handles returns the names of the handles of exactly the field of type t at
// off, and of those that lie inside it, which it marks as used where the whole
// has a handle too.
func (c *coverage) handles(t reflect.Type, off uintptr) (exact, inside []string) {
	var parts []int
	for i, col := range c.layout.cols {
		switch {
		case col.err != nil:
		case col.at.offset == off && col.at.typ == t:
			exact = append(exact, col.name)
			c.used[i] = true
		case col.at.offset >= off && col.at.offset < off+t.Size():
			inside = append(inside, col.name)
			parts = append(parts, i)
		}
	}
	if len(exact) > 0 {
		for _, i := range parts {
			c.used[i] = true
		}
	}
	return exact, inside
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, " and ")
}
