package state

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
)

// Dict is a persistent map: With and Without return a new Dict that shares
// all but a path of log n nodes with the old one, which stays as it was. It
// is for maps with many keys in a state. Keys are kept in order. The zero
// Dict is empty. A Dict may be read by any number of goroutines.
type Dict[K cmp.Ordered, V any] struct{ root *leaf[K, V] }

// leaf is a node of an AVL tree that is never changed once it is reachable.
type leaf[K cmp.Ordered, V any] struct {
	key         K
	value       V
	left, right *leaf[K, V]
	size        int
	height      int8
}

// Len returns the number of keys.
func (d Dict[K, V]) Len() int { return d.root.count() }

// Get returns the value of a key; false if the key is not there.
func (d Dict[K, V]) Get(key K) (V, bool) {
	for n := d.root; n != nil; {
		switch c := cmp.Compare(key, n.key); {
		case c == 0:
			return n.value, true
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	var zero V
	return zero, false
}

// All yields the entries in the order of their keys.
func (d Dict[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { d.root.walk(yield) }
}

// With returns the Dict with key set to value. It costs O(log n).
func (d Dict[K, V]) With(key K, value V) Dict[K, V] {
	return Dict[K, V]{d.root.insert(key, value)}
}

// Without returns the Dict without key. It costs O(log n).
func (d Dict[K, V]) Without(key K) Dict[K, V] {
	if _, ok := d.Get(key); !ok {
		return d
	}
	return Dict[K, V]{d.root.remove(key)}
}

// withAll sets every key of m, in the order of the keys, so that equal maps
// make equal trees.
func (d Dict[K, V]) withAll(m map[K]V) Dict[K, V] {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		d = d.With(k, m[k])
	}
	return d
}

func (d Dict[K, V]) withoutAll(keys []K) Dict[K, V] {
	for _, k := range keys {
		d = d.Without(k)
	}
	return d
}

// plain returns the entries as a map.
func (d Dict[K, V]) plain() map[K]V {
	m := make(map[K]V, d.Len())
	for k, v := range d.All() {
		m[k] = v
	}
	return m
}

// mapType tells the schema's checks what a Dict keeps: they cannot look into
// its tree.
func (d Dict[K, V]) mapType() reflect.Type { return reflect.TypeFor[map[K]V]() }

// eachValue shows the checks of written values every value in a Dict.
func (d Dict[K, V]) eachValue(visit func(key string, v reflect.Value) error) error {
	for k, v := range d.All() {
		if err := visit(fmt.Sprint(k), reflect.ValueOf(&v).Elem()); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes an object whose keys are sorted as text.
func (d Dict[K, V]) MarshalJSON() ([]byte, error) { return appendObject(nil, d.plain()) }

// UnmarshalJSON reads an object; it replaces what the Dict held. Null is an
// error that is ErrValue.
func (d *Dict[K, V]) UnmarshalJSON(data []byte) error {
	m, err := parseObject[K, V](data)
	if err == nil {
		*d = Dict[K, V]{}.withAll(m)
	}
	return err
}

func (n *leaf[K, V]) count() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *leaf[K, V]) tall() int8 {
	if n == nil {
		return 0
	}
	return n.height
}

func (n *leaf[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.key, n.value) && n.right.walk(yield)
}

// join makes a balanced node of two subtrees whose heights differ by 2 at most.
func join[K cmp.Ordered, V any](key K, value V, l, r *leaf[K, V]) *leaf[K, V] {
	switch {
	case l.tall() > r.tall()+1:
		if l.left.tall() >= l.right.tall() {
			return node(l.key, l.value, l.left, node(key, value, l.right, r))
		}
		m := l.right
		return node(m.key, m.value, node(l.key, l.value, l.left, m.left), node(key, value, m.right, r))
	case r.tall() > l.tall()+1:
		if r.right.tall() >= r.left.tall() {
			return node(r.key, r.value, node(key, value, l, r.left), r.right)
		}
		m := r.left
		return node(m.key, m.value, node(key, value, l, m.left), node(r.key, r.value, m.right, r.right))
	}
	return node(key, value, l, r)
}

func node[K cmp.Ordered, V any](key K, value V, l, r *leaf[K, V]) *leaf[K, V] {
	return &leaf[K, V]{key, value, l, r, l.count() + r.count() + 1, max(l.tall(), r.tall()) + 1}
}

func (n *leaf[K, V]) insert(key K, value V) *leaf[K, V] {
	if n == nil {
		return node[K, V](key, value, nil, nil)
	}
	switch c := cmp.Compare(key, n.key); {
	case c < 0:
		return join(n.key, n.value, n.left.insert(key, value), n.right)
	case c > 0:
		return join(n.key, n.value, n.left, n.right.insert(key, value))
	}
	return node(key, value, n.left, n.right)
}

func (n *leaf[K, V]) remove(key K) *leaf[K, V] {
	switch c := cmp.Compare(key, n.key); {
	case c < 0:
		return join(n.key, n.value, n.left.remove(key), n.right)
	case c > 0:
		return join(n.key, n.value, n.left, n.right.remove(key))
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	}
	next := n.right
	for next.left != nil {
		next = next.left
	}
	return join(next.key, next.value, n.left, n.right.remove(next.key))
}
