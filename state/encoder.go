package state

import (
	"errors"
	"fmt"
	"reflect"
)

// Encoder is a type that writes its own JSON and vouches for it: a field whose
// values, elements or entries are of such a type is written by it alone, without
// encoding/json, and nobody looks at the text again. It is for types that are
// written at every step. The methods may have value or pointer receivers; value
// receivers save a copy. Both must be pure and may be called by several
// goroutines at once.
//
// It is still encoding/json that reads such values, so their type must be one
// that it reads back: exported fields, or a MarshalJSON and an UnmarshalJSON. An
// Encoder that lies inside a value of another type is written by encoding/json.
type Encoder interface {
	// CheckJSON returns what keeps the value from being written and read back;
	// nil: nothing does, and AppendJSON cannot fail. It is called whenever the
	// value is written to a field, with or without a store: its error, which
	// should name the part of the value, fails the step as ErrValue.
	CheckJSON() error
	// AppendJSON appends the value to dst as JSON that encoding/json reads as an
	// equal value: UTF-8 without line breaks between values, no key twice in an
	// object, not null, at most 1000 levels deep, no half of a surrogate pair.
	// Floats in `any` must keep a fraction or an exponent (3.0), and other numbers
	// in `any` must be int64: that is how they come back.
	AppendJSON(dst []byte) ([]byte, error)
}

// encodes reports whether values of t are written by themselves.
func encodes(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(typeOf[Encoder]())
}

// vouch notes that the field's values, elements or entries are of type t, which
// may prove them itself.
func (col *column) vouch(t reflect.Type) {
	if col.rule == nil && encodes(t) {
		col.own, col.loose = true, false
	}
}

// CheckJSON reports what keeps JSON from being kept as it is inside a value:
// more than one value, text that is not UTF-8, halves of surrogate pairs, keys
// that come twice, nesting of more than 1000 levels. The error is an ErrValue.
// It is for an Encoder that holds JSON of others.
func CheckJSON(data []byte) error {
	if _, err := scan(data, maxDepth); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// sound asks a value whether it can be written.
func sound(own Encoder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: CheckJSON panicked: %v", ErrValue, p)
		}
	}()
	if err = own.CheckJSON(); err != nil && !errors.Is(err, ErrValue) {
		err = fmt.Errorf("%w: %w", ErrValue, err)
	}
	return err
}

// soundCarried is sound for what a change carries.
func soundCarried[V any](c *Change) error {
	if own, ok := c.val.(Encoder); ok { // it needs no pointer, so no copy
		return sound(own)
	}
	v := unpack[V](c)
	return sound(any(&v).(Encoder))
}

// soundItems is sound for the elements of a list.
func soundItems[E any](es []E) error {
	for i := range es {
		if err := sound(any(&es[i]).(Encoder)); err != nil {
			return fmt.Errorf("at [%d]: %w", i, err)
		}
	}
	return nil
}

// appendOwn lets a value write itself.
func appendOwn(dst []byte, own Encoder) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = dst, fmt.Errorf("%w: AppendJSON panicked: %v", ErrValue, p)
		}
	}()
	if out, err = own.AppendJSON(dst); err != nil {
		return dst, fmt.Errorf("%w: %w", ErrValue, err)
	}
	return out, nil
}

// appendItems writes the elements of a list field.
func appendItems[E any](dst []byte, col *column, es []E) ([]byte, error) {
	if !col.own {
		return appendList(dst, es)
	}
	dst = append(dst, '[')
	var err error
	for i := range es {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendOwn(dst, any(&es[i]).(Encoder)); err != nil {
			return dst, fmt.Errorf("at [%d]: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

// appendCarried writes the value that a change carries.
func appendCarried[V any](dst []byte, col *column, c *Change) ([]byte, error) {
	if col.own {
		if own, ok := c.val.(Encoder); ok { // it needs no pointer, so no copy
			return appendOwn(dst, own)
		}
	}
	return appendJSON(dst, unpack[V](c))
}

// appendHeld writes the value of a field.
func appendHeld[S, V any](dst []byte, col *column, at *place[S, V], s *S) ([]byte, error) {
	if col.own && at.ref != nil {
		return appendOwn(dst, any(at.ref(s)).(Encoder))
	}
	return appendJSON(dst, at.load(s))
}
