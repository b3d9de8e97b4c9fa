package state

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// quick reads the JSON of plain values as this package writes it: without
// spaces, texts with few escapes, numbers that fit. It returns false for
// everything else, also for what is wrong: that is for the strict way, which
// gives the same values for what quick accepts.
func quick[V any](data []byte, v *V) bool {
	next, ok := quickItem(data, 0, v)
	return ok && next == len(data)
}

// quickList reads a list of plain values.
func quickList[E any](data []byte) ([]E, bool) {
	if len(data) < 2 || data[0] != '[' {
		return nil, false
	}
	es := make([]E, 0, 1)
	if data[1] == ']' {
		return es, len(data) == 2
	}
	for i := 1; i < len(data); {
		var e E
		next, ok := quickItem(data, i, &e)
		if !ok || next >= len(data) {
			return nil, false
		}
		es = append(es, e)
		if data[next] == ']' {
			return es, next == len(data)-1
		}
		if data[next] != ',' {
			return nil, false
		}
		i = next + 1
	}
	return nil, false
}

// quickObject reads an object of plain values.
func quickObject[K comparable, V any](data []byte) (map[K]V, bool) {
	if _, texts := any(*new(K)).(string); !texts || len(data) < 2 || data[0] != '{' {
		return nil, false
	}
	m := map[K]V{}
	if data[1] == '}' {
		return m, len(data) == 2
	}
	for i := 0; ; {
		var k K
		var v V
		key, next, ok := quickKey(data, i+1)
		if !ok {
			return nil, false
		}
		*any(&k).(*string) = key
		next, ok = quickItem(data, next, &v)
		if _, twice := m[k]; !ok || twice || next >= len(data) {
			return nil, false
		}
		m[k] = v
		if data[next] == '}' {
			return m, next == len(data)-1
		}
		if data[next] != ',' {
			return nil, false
		}
		i = next
	}
}

// quickItem reads the value that begins at i, and returns where it ends.
func quickItem[V any](data []byte, i int, v *V) (next int, ok bool) {
	switch p := any(v).(type) {
	case *int:
		var n int64
		n, next, ok = quickInt(data, i)
		*p = int(n)
		ok = ok && int64(*p) == n
	case *int64:
		*p, next, ok = quickInt(data, i)
	case *float64:
		*p, next, ok = quickFloat(data, i)
	case *string:
		*p, next, ok = quickText(data, i)
	case *bool:
		*p, next, ok = quickBool(data, i)
	case *any:
		*p, next, ok = quickAny(data, i, 0)
	case *Message:
		next, ok = quickMessage(data, i, p)
	}
	return next, ok
}

// quickInt reads a whole number.
func quickInt(data []byte, i int) (int64, int, bool) {
	end, whole := numberEnd(data, i)
	if !whole || end == i {
		return 0, i, false
	}
	n, err := strconv.ParseInt(string(data[i:end]), 10, 64)
	return n, end, err == nil
}

func quickFloat(data []byte, i int) (float64, int, bool) {
	end, _ := numberEnd(data, i)
	if end == i {
		return 0, i, false
	}
	f, err := strconv.ParseFloat(string(data[i:end]), 64)
	return f, end, err == nil
}

// numberEnd returns where the number at i ends, i if there is none in JSON's
// grammar, and whether it has neither fraction nor exponent.
func numberEnd(data []byte, i int) (end int, whole bool) {
	k := i
	if k < len(data) && data[k] == '-' {
		k++
	}
	digits := countDigits(data[k:])
	if digits == 0 || digits > 1 && data[k] == '0' {
		return i, false
	}
	k += digits
	whole = true
	if k < len(data) && data[k] == '.' {
		digits, whole = countDigits(data[k+1:]), false
		if digits == 0 {
			return i, false
		}
		k += 1 + digits
	}
	if k < len(data) && (data[k] == 'e' || data[k] == 'E') {
		k, whole = k+1, false
		if k < len(data) && (data[k] == '+' || data[k] == '-') {
			k++
		}
		if digits = countDigits(data[k:]); digits == 0 {
			return i, false
		}
		k += digits
	}
	return k, whole
}

func countDigits(data []byte) int {
	n := 0
	for n < len(data) && data[n] >= '0' && data[n] <= '9' {
		n++
	}
	return n
}

func quickBool(data []byte, i int) (bool, int, bool) {
	switch {
	case hasWord(data, i, "true"):
		return true, i + 4, true
	case hasWord(data, i, "false"):
		return false, i + 5, true
	}
	return false, i, false
}

func hasWord(data []byte, i int, word string) bool {
	return len(data)-i >= len(word) && string(data[i:i+len(word)]) == word
}

// quickText reads a text. One with escapes goes the strict way by itself.
func quickText(data []byte, i int) (string, int, bool) {
	if i >= len(data) || data[i] != '"' {
		return "", i, false
	}
	ascii := true
	for k := plainUntil(data, i+1); k < len(data); k = plainUntil(data, k+1) {
		switch c := data[k]; {
		case c == '"':
			text := data[i+1 : k]
			return string(text), k + 1, ascii || utf8.Valid(text)
		case c == '\\':
			end := skipText(data, k-1)
			text, ok := strictText(data[i:end])
			return text, end, ok
		case c < ' ':
			return "", i, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", i, false
}

// plainUntil returns the place of the first byte from i on that is a quote, a
// backslash, a control character or not ASCII; the length if there is none. It
// looks at eight bytes at once.
func plainUntil(data []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if (x|(x-ones*' ')|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] < utf8.RuneSelf && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

func strictText(data []byte) (text string, ok bool) {
	if _, err := scan(data, 1); err != nil {
		return "", false
	}
	err := unmarshal(data, &text)
	return text, err == nil
}

// quickDepth is how deep quick looks into lists and maps.
const quickDepth = 64

// quickAny reads a value as `any` fields hold it.
func quickAny(data []byte, i, depth int) (any, int, bool) {
	if i >= len(data) || depth > quickDepth {
		return nil, i, false
	}
	switch data[i] {
	case '"':
		return anyOf(quickText(data, i))
	case 't', 'f':
		return anyOf(quickBool(data, i))
	case 'n':
		return nil, i + 4, hasWord(data, i, "null")
	case '[':
		return quickAnyList(data, i+1, depth)
	case '{':
		return quickAnyMap(data, i+1, depth)
	}
	if _, whole := numberEnd(data, i); whole {
		return anyOf(quickInt(data, i))
	}
	return anyOf(quickFloat(data, i))
}

func anyOf[V any](v V, next int, ok bool) (any, int, bool) { return v, next, ok }

// quickAnyList reads a list from behind its bracket.
func quickAnyList(data []byte, i, depth int) (any, int, bool) {
	list := []any{}
	if i < len(data) && data[i] == ']' {
		return list, i + 1, true
	}
	for {
		e, next, ok := quickAny(data, i, depth+1)
		if !ok || next >= len(data) {
			return nil, i, false
		}
		list = append(list, e)
		if data[next] == ']' {
			return list, next + 1, true
		}
		if data[next] != ',' {
			return nil, i, false
		}
		i = next + 1
	}
}

// quickAnyMap reads an object from behind its brace.
func quickAnyMap(data []byte, i, depth int) (any, int, bool) {
	m := map[string]any{}
	if i < len(data) && data[i] == '}' {
		return m, i + 1, true
	}
	for {
		key, next, ok := quickKey(data, i)
		if _, twice := m[key]; !ok || twice {
			return nil, i, false
		}
		e, next, ok := quickAny(data, next, depth+1)
		if !ok || next >= len(data) {
			return nil, i, false
		}
		m[key] = e
		if data[next] == '}' {
			return m, next + 1, true
		}
		if data[next] != ',' {
			return nil, i, false
		}
		i = next + 1
	}
}
