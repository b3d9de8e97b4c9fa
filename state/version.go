package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Migration turns the stored fields of a state, by name, into those of the
// schema's next version. It may change, add and remove members of the map, but
// must not change the bytes of a value in place. It must be pure.
type Migration func(fields map[string]json.RawMessage) error

// versions is how a schema came to be what it is.
type versions struct {
	current int
	up      map[int]Migration
}

// Versioned returns the schema with a version, which is stored with each
// thread, and with the migrations that make of the fields of an older version
// those of the next one: up[3] makes version 4 of version 3. A schema without
// Versioned has the version 0. Old versions whose states need not be read any
// more may be left out; to read one is then an error that says what is
// missing. Versioned panics, as MustSchema does, with all problems: a negative
// version, a migration that is nil or from a version that is not before the
// schema's own.
func (s *Schema[S]) Versioned(version int, up map[int]Migration) *Schema[S] {
	l, err := s.layout.versioned(version, up)
	if err != nil {
		panic(err)
	}
	return &Schema[S]{l}
}

// Versioned is Schema.Versioned for records.
func (s *RecordSchema) Versioned(version int, up map[int]Migration) *RecordSchema {
	return &RecordSchema{s.Schema.Versioned(version, up)}
}

func (l *Layout) versioned(version int, up map[int]Migration) (*Layout, error) {
	var problems []error
	if version < 0 {
		problems = append(problems, fmt.Errorf("%w: version %d is less than 0", ErrSchema, version))
	}
	for _, from := range slices.Sorted(maps.Keys(up)) {
		if from < 0 || from >= version {
			problems = append(problems, fmt.Errorf("%w: a migration from version %d, which is not before version %d", ErrSchema, from, version))
		}
		if up[from] == nil {
			problems = append(problems, fmt.Errorf("%w: the migration from version %d is nil", ErrSchema, from))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	out := *l
	out.versions = versions{version, maps.Clone(up)}
	if ops, ok := l.ops.(*recordOps); ok {
		out.ops = &recordOps{layout: &out, start: ops.start}
	}
	return &out, nil
}

// Version returns the schema's version: 0 without Versioned.
func (l *Layout) Version() int { return l.versions.current }

// Migrate turns the stored fields of version from into those of the schema's
// version, in place. A version beyond the schema's, a missing migration and
// one that fails or panics are errors; then the fields are of no use.
func (l *Layout) Migrate(from int, fields map[string]json.RawMessage) error {
	v := &l.versions
	if from > v.current || from < 0 {
		return fmt.Errorf("state: stored with version %d of the schema of %v, which is not known to version %d", from, l.typ, v.current)
	}
	var missing []int
	for n := from; n < v.current; n++ {
		if v.up[n] == nil {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("state: stored with version %d of the schema of %v, and the way to version %d needs migrations from the versions %v, which it does not have", from, l.typ, v.current, missing)
	}
	for n := from; n < v.current; n++ {
		if err := v.up[n].call(fields); err != nil {
			return fmt.Errorf("state: migration from version %d to %d: %w", n, n+1, err)
		}
	}
	return nil
}

// call runs the migration; its panic is an error.
func (m Migration) call(fields map[string]json.RawMessage) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panicked: %v", r)
		}
	}()
	return m(fields)
}
