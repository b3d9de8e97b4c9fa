package state

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Schema is the list of all fields of a state S, each with its handle. It is
// immutable and safe for concurrent use. Two schemas over one S, or one
// handle in two schemas, do not disturb each other.
type Schema[S any] struct{ layout *Layout }

// NewSchema checks that every exported field of S has exactly one handle and
// that each can be stored and read back, and returns all problems at once.
func NewSchema[S any](fields ...Field[S]) (*Schema[S], error) {
	l := &Layout{typ: reflect.TypeFor[S](), ops: structOps[S]{}, byName: map[string]int{}}
	var problems []error
	for i, f := range fields {
		if f == nil {
			problems = append(problems, fmt.Errorf("%w: field %d of NewSchema is nil", ErrSchema, i+1))
			continue
		}
		problems = append(problems, l.add(f.columns(nil), aliasesOf(f))...)
	}
	if l.typ.Kind() == reflect.Struct {
		problems = append(problems, l.cover()...)
	} else {
		problems = append(problems, fmt.Errorf("%w: %v is not a struct", ErrSchema, l.typ))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	l.index()
	return &Schema[S]{l}, nil
}

// MustSchema is NewSchema for package variables: it panics on a problem.
func MustSchema[S any](fields ...Field[S]) *Schema[S] {
	s, err := NewSchema(fields...)
	if err != nil {
		panic(err)
	}
	return s
}

// Layout returns the schema without its type, for the engine.
func (s *Schema[S]) Layout() *Layout { return s.layout }

// Fields returns the names of the fields in the schema's order.
func (s *Schema[S]) Fields() []string { return s.layout.Fields() }

// EncodeState writes all fields of st as one JSON object, in the schema's
// order. Local fields and the unset fields of a record are left out.
func (s *Schema[S]) EncodeState(st S) ([]byte, error) { return s.layout.AppendState(nil, &st) }

// DecodeState reads what EncodeState wrote. Unknown fields are errors that
// are ErrUnknownField; fields that are not in data keep their start value.
func (s *Schema[S]) DecodeState(data []byte) (S, error) {
	st, err := s.layout.LoadState(data)
	if err != nil {
		var zero S
		return zero, err
	}
	return *st.(*S), nil
}

// Apply returns st after the writes of one task, as the engine would apply
// them in a step of their own. st is not changed.
func (s *Schema[S]) Apply(st S, writes ...Write[S]) (S, error) {
	u := ChangesOf(writes)
	store := s.layout.NewStore(&st)
	store.Begin()
	if err := errors.Join(store.Check(0, &u)); err != nil {
		return st, err
	}
	if err := store.Apply(0, &u); err != nil {
		return st, err
	}
	return *store.Next().(*S), nil
}

// Renamed lets a field be read under names that it had before. It wraps the
// field's handle where the schema is made: NewSchema(Renamed(Draft, "text")).
func Renamed[S any](f Field[S], old ...string) Field[S] { return renamed[S]{f, old} }

type renamed[S any] struct {
	Field[S]
	old []string
}

func aliasesOf[S any](f Field[S]) []string {
	if r, ok := f.(renamed[S]); ok {
		return append(r.old, aliasesOf(r.Field)...)
	}
	return nil
}

// structOps makes and copies states of a struct type.
type structOps[S any] struct{}

func (structOps[S]) fresh() any { return new(S) }

func (structOps[S]) copy(dst, src any) { *dst.(*S) = *src.(*S) }

// add takes the columns of one field or group into the layout.
func (l *Layout) add(cols []*column, aliases []string) (problems []error) {
	refuse := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: %s", ErrSchema, fmt.Sprintf(format, args...)))
	}
	if len(aliases) > 0 && len(cols) != 1 {
		refuse("a group of fields cannot be renamed as one")
	}
	for _, col := range cols {
		if col.err != nil {
			refuse("field %q: %v", col.name, col.err)
			continue
		}
		for _, name := range append([]string{col.name}, aliases...) {
			if strings.TrimSpace(name) == "" {
				refuse("a field of %v has no name", l.typ)
			} else if at, twice := l.byName[name]; twice {
				refuse("the name %q is used by two fields (%s and %s)", name, l.cols[at].name, col.name)
			}
			l.byName[name] = len(l.cols)
		}
		if !col.local {
			for _, loss := range losses(col.value, fmt.Sprintf("field %q", col.name), nil) {
				refuse("%s", loss)
			}
		}
		l.cols = append(l.cols, col)
	}
	return problems
}

// cover checks every field of the struct against the handles.
func (l *Layout) cover() (problems []error) {
	for _, loss := range promoted(l.typ, l.typ.Name()) {
		problems = append(problems, fmt.Errorf("%w: %s", ErrSchema, loss))
	}
	used := make([]bool, len(l.cols))
	l.coverStruct(l.typ, 0, l.typ.Name(), used, &problems)
	for i, col := range l.cols {
		if !used[i] {
			problems = append(problems, fmt.Errorf("%w: field %q does not refer to an exported field of %v", ErrSchema, col.name, l.typ))
		}
	}
	return problems
}

func (l *Layout) coverStruct(t reflect.Type, base uintptr, path string, used []bool, problems *[]error) {
	refuse := func(format string, args ...any) {
		*problems = append(*problems, fmt.Errorf("%w: %s", ErrSchema, fmt.Sprintf(format, args...)))
	}
	for i := range t.NumField() {
		f := t.Field(i)
		at, off := path+"."+f.Name, base+f.Offset
		if f.Name == "_" {
			continue
		}
		if !f.IsExported() && !f.Anonymous {
			refuse("%s is unexported and would be lost", at)
			continue
		}
		exact, inside := l.handlesOf(f.Type, off, used)
		switch {
		case len(exact) > 1:
			refuse("fields %s refer to the same field %s", quoted(exact), at)
		case len(exact) == 1 && len(inside) > 0:
			refuse("field %q is all of %s, but %s refer to parts of it", exact[0], at, quoted(inside))
		case len(exact) == 0 && f.Type.Kind() == reflect.Struct && len(inside) > 0:
			l.coverStruct(f.Type, off, at, used, problems)
		case len(exact) == 0:
			refuse("%s has no handle", at)
		}
	}
}

// handlesOf returns the names of the handles of exactly the field of type t at
// off, and of those that lie inside it.
func (l *Layout) handlesOf(t reflect.Type, off uintptr, used []bool) (exact, inside []string) {
	for i, col := range l.cols {
		switch {
		case col.at.offset == off && col.at.typ == t:
			exact = append(exact, col.name)
			used[i] = true
		case col.at.offset >= off && col.at.offset < off+t.Size():
			inside = append(inside, col.name)
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
