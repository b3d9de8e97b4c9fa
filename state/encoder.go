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
	// AppendJSON appends the value to dst as JSON that encoding/json reads as an
	// equal value: UTF-8 without line breaks between values, no key twice in an
	// object, not null, at most 1000 levels deep, no half of a surrogate pair.
	// Floats in `any` must keep a fraction or an exponent (3.0), and other numbers
	// in `any` must be int64: that is how they come back.
	//
	// What would not come back is an error, which should name the part of the
	// value that it is about. A value is written when a step writes it to a field:
	// the error fails the step, as ErrValue, and the state stays what it was.
	AppendJSON(dst []byte) ([]byte, error)
	// CheckJSON returns the error that AppendJSON would. It is called instead
	// where nobody wants the text, as without a store.
	CheckJSON() error
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
	if err = own.CheckJSON(); err != nil {
		err = unfit(err)
	}
	return err
}

// carried returns what a change of the field carries as an Encoder.
func carried[V any](c *Change) Encoder {
	if own, ok := c.val.(Encoder); ok { // it needs no pointer, so no copy
		return own
	}
	v := unpack[V](c)
	return any(&v).(Encoder)
}

// written is what the Encoders that a step has written to a field wrote: a part
// of the step's texts, for its operations. It is lost where they do not stand
// side by side.
type written struct {
	epoch    uint64
	from, to int
	lost     bool
}

// write lets a value that is written to a field prove itself: by writing itself
// if the step's operations will be asked for. Elements of a list have commas
// between them.
func (sl *slot) write(own Encoder) error {
	if sl == nil || sl.texts == nil {
		return sound(own)
	}
	dst, w := *sl.texts, &sl.written
	switch {
	case w.epoch != sl.now:
		*w = written{epoch: sl.now, from: len(dst), to: len(dst)}
	case w.lost || w.to != len(dst):
		w.lost = true
		return sound(own)
	case w.to > w.from:
		dst = append(dst, ',')
	}
	dst, err := appendOwn(dst, own)
	if err != nil {
		w.lost = true
		return err
	}
	*sl.texts, w.to = dst, len(dst)
	return nil
}

// writeItems is write for the elements of a list.
func writeItems[E any](sl *slot, es []E) error {
	for i := range es {
		if err := sl.write(any(&es[i]).(Encoder)); err != nil {
			return fmt.Errorf("at [%d]: %w", i, err)
		}
	}
	return nil
}

// written returns what the step wrote to the field, if it was written by
// Encoders and is all there.
func (o *outcome) written() ([]byte, bool) {
	sl := &o.store.slots[o.field]
	w := &sl.written
	if sl.texts == nil || w.epoch != o.store.epoch || w.lost {
		return nil, false
	}
	return (*sl.texts)[w.from:w.to], true
}

// appendOwn lets a value write itself.
func appendOwn(dst []byte, own Encoder) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = dst, fmt.Errorf("%w: AppendJSON panicked: %v", ErrValue, p)
		}
	}()
	if out, err = own.AppendJSON(dst); err != nil {
		return dst, unfit(err)
	}
	return out, nil
}

// unfit makes an error about a value one that is ErrValue.
func unfit(err error) error {
	if errors.Is(err, ErrValue) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrValue, err)
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
