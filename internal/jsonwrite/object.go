package jsonwrite

import (
	"slices"
	"strings"
)

// Open begins an object under a key. Its members are written next; Shut takes
// what Open returned.
func (w *Writer) Open(key string) (start int) {
	w.Into(key)
	w.deeper()
	if w.Look {
		return 0
	}
	w.Buf = append(w.Buf, key...)
	return len(w.Buf)
}

// Shut ends an object.
func (w *Writer) Shut(start int) {
	w.depth--
	w.Out()
	if w.Look {
		return
	}
	if len(w.Buf) == start {
		w.Buf = append(w.Buf, '{', '}')
		return
	}
	w.Buf[start] = '{'
	w.Buf = append(w.Buf, '}')
}

// List writes n elements under a key; none at all are left out.
func (w *Writer) List(key string, n int, element func(i int)) {
	if n > 0 {
		w.MustList(key, n, element)
	}
}

// MustList writes n elements, also if there are none.
func (w *Writer) MustList(key string, n int, element func(i int)) {
	w.deeper()
	w.Put(key)
	w.Put("[")
	for i := range n {
		if i > 0 {
			w.Put(",")
		}
		w.intoItem(key, i)
		element(i)
		w.Out()
	}
	w.Put("]")
	w.depth--
}

// Texts writes a list of texts that is not empty.
func (w *Writer) Texts(key string, list []string) {
	w.List(key, len(list), func(i int) { w.Must("", list[i]) })
}

// MustTexts writes a list of texts, also an empty one.
func (w *Writer) MustTexts(key string, list []string) {
	w.MustList(key, len(list), func(i int) { w.Must("", list[i]) })
}

// Member is an entry of a map.
type Member[V any] struct {
	Key   string
	Value V
}

// Sorted returns the entries of a map, sorted by key, in room if they fit.
func Sorted[V any](room []Member[V], m map[string]V) []Member[V] {
	for k, v := range m {
		room = append(room, Member[V]{k, v})
	}
	if len(room) > 16 {
		slices.SortFunc(room, func(a, b Member[V]) int { return strings.Compare(a.Key, b.Key) })
		return room
	}
	for i := 1; i < len(room); i++ {
		for j := i; j > 0 && room[j].Key < room[j-1].Key; j-- {
			room[j], room[j-1] = room[j-1], room[j]
		}
	}
	return room
}

// Key writes the key of a map's entry. The entry's value is written next, under
// the key "", and then Out is called.
func (w *Writer) Key(k string) {
	if w.tell {
		w.path = append(w.path, "."+k)
	}
	w.Put(",")
	w.Must("", k)
	w.Put(":")
}

// Counts writes a map of numbers that is not empty.
func (w *Writer) Counts(key string, m map[string]int) {
	if len(m) == 0 {
		return
	}
	var room [16]Member[int]
	start := w.Open(key)
	for _, e := range Sorted(room[:0], m) {
		w.Key(e.Key)
		w.MustWhole("", int64(e.Value))
		w.Out()
	}
	w.Shut(start)
}
