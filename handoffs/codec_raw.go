package handoffs

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/graphrun/graphrun/internal/jsonwrite"
	"github.com/graphrun/graphrun/state"
)

// raw writes JSON that is not empty, without spaces.
func (c *codec) raw(key string, data json.RawMessage) {
	if len(data) == 0 {
		return
	}
	if !plainJSON(data) {
		var b bytes.Buffer
		if err := state.CheckJSON(data); err != nil {
			c.Fail(key, err.Error())
		} else if err = json.Compact(&b, data); err != nil {
			c.Fail(key, err.Error())
		}
		data = b.Bytes()
	}
	if !c.Look {
		c.Buf = append(append(c.Buf, key...), data...)
	}
}

// plainJSON reports whether data is JSON as programs write it: without spaces,
// with few keys an object and no escapes in them, and no surrogates. It says no to
// what is wrong and to much that is not: then package state must look.
func plainJSON(data []byte) bool {
	end, ok := skimValue(data, 0, 0)
	return ok && end == len(data)
}

// skimDepth is how deep plainJSON looks.
const skimDepth = 64

// skimValue returns where the value at i ends.
func skimValue(data []byte, i, depth int) (end int, ok bool) {
	if i >= len(data) || depth > skimDepth {
		return i, false
	}
	switch data[i] {
	case '"':
		end, _, ok = skimText(data, i)
		return end, ok
	case '{':
		return skimObject(data, i+1, depth+1)
	case '[':
		return skimList(data, i+1, depth+1)
	case 't':
		return skimWord(data, i, "true")
	case 'f':
		return skimWord(data, i, "false")
	case 'n':
		return skimWord(data, i, "null")
	}
	r := jsonReader{data: data, pos: i}
	end, _ = r.numberEnd()
	return end, end > i
}

func skimWord(data []byte, i int, word string) (int, bool) {
	end := i + len(word)
	return end, end <= len(data) && string(data[i:end]) == word
}

// skimList goes through a list from behind its bracket.
func skimList(data []byte, i, depth int) (end int, ok bool) {
	if i < len(data) && data[i] == ']' {
		return i + 1, true
	}
	for {
		if i, ok = skimValue(data, i, depth); !ok || i >= len(data) {
			return i, false
		}
		switch data[i] {
		case ']':
			return i + 1, true
		case ',':
			i++
		default:
			return i, false
		}
	}
}

// skimObject goes through an object from behind its brace.
func skimObject(data []byte, i, depth int) (end int, ok bool) {
	if i < len(data) && data[i] == '}' {
		return i + 1, true
	}
	var keys [16]struct{ from, to int }
	for n := 0; n < len(keys); n++ {
		start, escaped := i, false
		if i, escaped, ok = skimText(data, i); !ok || escaped || i >= len(data) || data[i] != ':' {
			return i, false
		}
		for _, k := range keys[:n] {
			if bytes.Equal(data[k.from:k.to], data[start:i]) {
				return i, false
			}
		}
		keys[n].from, keys[n].to = start, i
		if i, ok = skimValue(data, i+1, depth); !ok || i >= len(data) {
			return i, false
		}
		switch data[i] {
		case '}':
			return i + 1, true
		case ',':
			i++
		default:
			return i, false
		}
	}
	return i, false
}

// skimEscape returns the length of an escape behind its backslash; 0 for what is
// none, and for surrogates.
func skimEscape(data []byte) int {
	switch {
	case len(data) == 0:
		return 0
	case data[0] != 'u':
		return min(1, 1+bytes.IndexByte([]byte(`"\/bfnrt`), data[0]))
	case len(data) < 5 || data[1]|0x20 == 'd' && data[2] >= '8':
		return 0
	}
	for _, c := range data[1:5] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 5
}

// skimText returns where the text at i ends, and whether it has escapes.
func skimText(data []byte, i int) (end int, escaped, ok bool) {
	if i >= len(data) || data[i] != '"' {
		return i, false, false
	}
	ascii := true
	for k := jsonwrite.PlainUntil(data, i+1); k < len(data); k = jsonwrite.PlainUntil(data, k+1) {
		switch b := data[k]; {
		case b == '"':
			return k + 1, escaped, ascii || utf8.Valid(data[i:k])
		case b == '\\':
			n := skimEscape(data[k+1:])
			if n == 0 {
				return k, true, false
			}
			k, escaped = k+n, true
		case b < ' ':
			return k, false, false
		default:
			ascii = false
		}
	}
	return len(data), false, false
}
