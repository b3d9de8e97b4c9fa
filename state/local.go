package state

// Local is a handle of a field that only sends write: it is laid over the
// state for the one task that is sent, and is no part of the stored state nor
// handed on. An update that writes it is an error. Its type must still be one
// that JSON keeps, for a send is stored until its task has run.
// A Local is immutable and safe for concurrent use.
type Local[S, V any] struct{ value *Value[S, V] }

// NewLocal makes the handle of the local field that ref returns.
func NewLocal[S, V any](name string, ref func(*S) *V) *Local[S, V] {
	col := newColumn(name, "local", ref)
	col.local = true
	return &Local[S, V]{newValue(col, place[S, V]{ref: ref})}
}

// Set gives the field its value in the task that the write is sent to.
func (f *Local[S, V]) Set(v V) Write[S] { return f.value.Set(v) }

// Replace does what Set does.
func (f *Local[S, V]) Replace(v V) Write[S] { return f.value.Replace(v) }

// Name returns the field's name.
func (f *Local[S, V]) Name() string { return f.value.col.name }

func (f *Local[S, V]) columns(*S) []*column {
	if f.value == nil {
		return []*column{nil}
	}
	return []*column{f.value.col}
}
