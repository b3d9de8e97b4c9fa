package state

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
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
		for _, err := range l.add(columnsOf(f, nil), aliasesOf(f)) {
			problems = append(problems, fmt.Errorf("%w: argument %d: %w", ErrSchema, i+1, err))
		}
	}
	if len(l.cols) > maxFields {
		problems = append(problems, fmt.Errorf("%w: %d fields are more than %d", ErrSchema, len(l.cols), maxFields))
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
// order. Local fields and the unset fields of a record are left out. A value
// that would not come back as it is is an error.
func (s *Schema[S]) EncodeState(st S) ([]byte, error) {
	if err := s.layout.Admit(&st); err != nil {
		return nil, err
	}
	return s.layout.AppendState(nil, &st)
}

// DecodeState reads what EncodeState wrote. All problems are told at once;
// unknown fields are ErrUnknownField, unfit values ErrValue. Fields that are
// not in data keep their start value.
func (s *Schema[S]) DecodeState(data []byte) (S, error) {
	st, err := s.layout.LoadState(data)
	if err != nil {
		var zero S
		return zero, err
	}
	return *st.(*S), nil
}

// Apply returns st after the writes of one task, as the engine would apply
// them in a step of their own. st is not changed. A st whose own values could
// not be stored is an error too, as for Layout.Admit.
func (s *Schema[S]) Apply(st S, writes ...Write[S]) (S, error) {
	out := st
	if err := s.layout.Admit(&out); err != nil {
		return st, err
	}
	u := ChangesOf(writes)
	store := s.layout.NewStore(&out)
	store.Begin()
	if err := store.Check(0, &u); err != nil {
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
	field Field[S]
	old   []string
}

func (r renamed[S]) columns(s *S) []*column { return columnsOf(r.field, s) }

func aliasesOf[S any](f Field[S]) []string {
	if r, ok := f.(renamed[S]); ok {
		return slices.Concat(r.old, aliasesOf(r.field))
	}
	return nil
}

// structOps makes and copies states of a struct type.
type structOps[S any] struct{}

func (structOps[S]) fresh() any { return new(S) }

func (structOps[S]) copy(dst, src any) { *dst.(*S) = *src.(*S) }

func (structOps[S]) admit(any) error { return nil }
