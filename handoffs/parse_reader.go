package handoffs

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphrun/graphrun/internal/jsonwrite"
)

// jsonReader reads JSON strictly. What is wrong with a value is noted with its
// path and reading goes on behind it; when the grammar is broken it ends.
// Texts that were read share the memory of the input's copy.
type jsonReader struct {
	data []byte
	text string // the same
	pos  int
	path jsonPath
	jsonProblems
}

func newJSONReader(data []byte) jsonReader {
	return jsonReader{data: data, text: string(data)}
}

// next passes over spaces and returns the byte behind them; 0 at the end.
func (r *jsonReader) next() byte {
	for ; r.pos < len(r.data); r.pos++ {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take passes over a byte if it comes next.
func (r *jsonReader) take(c byte) bool {
	if r.full || r.next() != c {
		return false
	}
	r.pos++
	return true
}

// broken notes that the grammar is violated; nothing more is read.
func (r *jsonReader) broken(want string) {
	if r.full {
		return
	}
	got := "the end"
	if r.pos < len(r.data) {
		got = shortJSON(r.text[r.pos:])
	}
	r.problem(&r.path, fmt.Sprintf("at byte %d: want %s, got %s", r.pos, want, got))
	r.full = true
}

// shortJSON returns the begin of a text for messages.
func shortJSON(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return strings.ToValidUTF8(text, "?")
}

// end wants nothing more to come.
func (r *jsonReader) end() {
	if !r.full && r.next() != 0 || !r.full && r.pos < len(r.data) {
		r.broken("the end")
	}
}

// fields reads an object whose keys are known: read reads the value of a key,
// or returns false. Unknown keys and keys that come twice are problems.
func (r *jsonReader) fields(read func(key string) bool) {
	var seen [32]string
	keys := seen[:0]
	r.members(func(key string) {
		switch {
		case slices.Contains(keys, key):
			r.problem(&r.path, "the key comes twice")
			r.skip()
			return
		case !read(key):
			r.problem(&r.path, "the key is unknown")
			r.skip()
		}
		keys = append(keys, key)
	})
}

// members reads an object: visit reads the value of each key.
func (r *jsonReader) members(visit func(key string)) {
	if r.tooDeep(&r.path) || !r.take('{') {
		r.broken("{")
		return
	}
	if r.take('}') {
		return
	}
	for !r.full {
		if r.next() != '"' {
			r.broken("a key")
			return
		}
		key := r.string()
		r.path.push(key)
		if !r.take(':') {
			r.broken("a colon")
		} else if r.next(); !r.full {
			visit(key)
		}
		r.path.pop()
		if r.take('}') {
			return
		}
		if !r.take(',') {
			r.broken("a comma or }")
		}
	}
}

// items reads a list: visit reads each element.
func (r *jsonReader) items(visit func(i int)) {
	if r.tooDeep(&r.path) || !r.take('[') {
		r.broken("[")
		return
	}
	if r.take(']') {
		return
	}
	for i := 0; !r.full; i++ {
		r.path.pushIndex(i)
		r.next()
		visit(i)
		r.path.pop()
		if r.take(']') {
			return
		}
		if !r.take(',') {
			r.broken("a comma or ]")
		}
	}
}

// string reads a text that begins at pos.
func (r *jsonReader) string() string {
	start := r.pos + 1
	ascii := true
	for i := jsonwrite.PlainUntil(r.data, start); i < len(r.data); i = jsonwrite.PlainUntil(r.data, i+1) {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			if !ascii && !utf8.Valid(r.data[start:i]) {
				r.notUTF8(&r.path)
			}
			return r.text[start:i]
		case c == '\\':
			return r.escaped(start, i)
		case c < ' ':
			r.pos = i
			r.broken("a text without control characters")
			return ""
		}
		ascii = false
	}
	r.pos = len(r.data)
	r.broken("the end of a text")
	return ""
}
