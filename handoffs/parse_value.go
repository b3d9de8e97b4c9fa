package handoffs

import (
	"fmt"
	"strconv"
)

// isNull passes over null, which stands for a key that is not there.
func (r *jsonReader) isNull() bool { return r.word("null") }

func (r *jsonReader) word(word string) bool {
	if len(r.text)-r.pos < len(word) || r.text[r.pos:r.pos+len(word)] != word {
		return false
	}
	r.pos += len(word)
	return true
}

// wrongType notes a value of another type than is wanted, and passes over it.
func (r *jsonReader) wrongType(want string) {
	start, before := r.pos, len(r.problems)
	v := r.any()
	if r.full || len(r.problems) > before {
		return
	}
	r.problem(&r.path, fmt.Sprintf("want %s, got %s %s", want, jsonTypeName(v), shortJSON(r.text[start:r.pos])))
}

// jsonTypeName returns the type of a value by its name in graph files.
func jsonTypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "bool"
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "int"
	case float32, float64:
		return "float"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	}
	return fmt.Sprintf("%T", v)
}

// skip passes over a value. What is wrong inside of it is noted.
func (r *jsonReader) skip() { r.any() }

// readText reads a text.
func readText[T ~string](r *jsonReader, dst *T) {
	switch {
	case r.next() == '"':
		*dst = T(r.string())
	case !r.isNull():
		r.wrongType("string")
	}
}

// readWhole reads a whole number.
func readWhole[T ~int | ~int64](r *jsonReader, dst *T) {
	if r.isNull() {
		return
	}
	if end, whole := r.numberEnd(); whole {
		n, err := strconv.ParseInt(r.text[r.pos:end], 10, 64)
		if *dst = T(n); err != nil || int64(*dst) != n {
			r.problem(&r.path, shortJSON(r.text[r.pos:end])+" does not fit")
		}
		r.pos = end
		return
	}
	r.wrongType("int")
}

func (r *jsonReader) flag(dst *bool) {
	switch {
	case r.word("true"):
		*dst = true
	case r.word("false"):
		*dst = false
	case !r.isNull():
		r.wrongType("bool")
	}
}

// readTexts reads a list of texts. None at all are nil.
func readTexts[T ~string](r *jsonReader, dst *[]T) {
	r.list(func(int) {
		var text T
		if r.next() != '"' {
			r.wrongType("string")
			return
		}
		readText(r, &text)
		*dst = append(*dst, text)
	})
}

// list reads a list, or null.
func (r *jsonReader) list(visit func(i int)) {
	switch {
	case r.next() == '[':
		r.items(visit)
	case !r.isNull():
		r.wrongType("list")
	}
}

// record reads an object whose keys are known, or null. It reports whether
// there was an object.
func (r *jsonReader) record(read func(key string) bool) bool {
	if r.next() == '{' {
		r.fields(read)
		return true
	}
	if !r.isNull() {
		r.wrongType("map")
	}
	return false
}

// values reads a map of any values. One without keys is nil.
func (r *jsonReader) values(dst *map[string]any) {
	switch {
	case r.next() == '{':
		if m := r.object(); len(m) > 0 {
			*dst = m
		}
	case !r.isNull():
		r.wrongType("map")
	}
}

func (r *jsonReader) object() map[string]any {
	m := map[string]any{}
	r.members(func(key string) {
		if _, twice := m[key]; twice {
			r.problem(&r.path, "the key comes twice")
		}
		m[key] = r.any()
	})
	return m
}

// any reads a value as package state keeps any.
func (r *jsonReader) any() any {
	switch r.next() {
	case '"':
		return r.string()
	case '{':
		return r.object()
	case '[':
		list := []any{}
		r.items(func(int) { list = append(list, r.any()) })
		return list
	case 't', 'f', 'n':
		return r.literal()
	}
	return r.number()
}

func (r *jsonReader) literal() any {
	switch {
	case r.word("true"):
		return true
	case r.word("false"):
		return false
	case !r.word("null"):
		r.broken("a value")
	}
	return nil
}

func (r *jsonReader) number() any {
	end, whole := r.numberEnd()
	if end == r.pos {
		r.broken("a value")
		return nil
	}
	text := r.text[r.pos:end]
	r.pos = end
	if whole {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			r.problem(&r.path, "the whole number "+shortJSON(text)+" does not fit 64 bits")
		}
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.problem(&r.path, "the number "+shortJSON(text)+" is out of range")
	}
	return f
}

// numberEnd returns where the number at pos ends, pos if there is none, and
// whether it has neither fraction nor exponent.
func (r *jsonReader) numberEnd() (end int, whole bool) {
	i := r.pos
	if i < len(r.data) && r.data[i] == '-' {
		i++
	}
	first := i
	if i = r.digits(i); i == first || r.data[first] == '0' && i > first+1 {
		return r.pos, false
	}
	whole = true
	if i < len(r.data) && r.data[i] == '.' {
		whole = false
		point := i + 1
		if i = r.digits(point); i == point {
			return r.pos, false
		}
	}
	if i < len(r.data) && r.data[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(r.data) && (r.data[i] == '+' || r.data[i] == '-') {
			i++
		}
		power := i
		if i = r.digits(power); i == power {
			return r.pos, false
		}
	}
	return i, whole
}

func (r *jsonReader) digits(i int) int {
	for i < len(r.data) && r.data[i] >= '0' && r.data[i] <= '9' {
		i++
	}
	return i
}
