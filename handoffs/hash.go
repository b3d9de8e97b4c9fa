package handoffs

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/internal/jsonwrite"
	"github.com/graphrun/graphrun/state"
)

// DefaultVolatile returns the keys of payloads that do not count for context
// hashes if a Policy names none: counters of tokens, elapsed time and
// timestamps. Ids count, for two orders are two contexts; so does retry_count.
func DefaultVolatile() []string { return slices.Clone(defaultVolatile[:]) }

var defaultVolatile = [...]string{
	"tokens_used", "tokensUsed", "input_tokens", "inputTokens", "output_tokens", "outputTokens", "total_tokens", "totalTokens",
	"time_elapsed", "timeElapsed", "elapsed", "elapsed_ms", "elapsedMs", "duration", "duration_ms", "durationMs",
	"timestamp", "created_at", "createdAt", "updated_at", "updatedAt",
}

// contextHash returns the hash of what a handoff is about: the ends, the task,
// the payload, and the branches of a spawn, as canonical JSON with sorted keys.
// Volatile are the keys that do not count, nil: DefaultVolatile: a name stands
// for the key wherever it is, a path with dots for that one place, with no
// regard to places in lists. Numbers of equal value are equal, so 1 and 1.0 are:
// models write either for the other. It is the first 16 bytes of SHA-256 in hex.
func contextHash(c *Command, from, to string, volatile []string) string {
	hash, _ := hashContext(nil, c, from, to, volatile)
	return hash
}

// hashContext is contextHash with memory for the text, which it returns.
func hashContext(text []byte, c *Command, from, to string, volatile []string) (hash string, out []byte) {
	paths := slices.ContainsFunc(volatile, func(v string) bool { return strings.Contains(v, ".") })
	if volatile == nil {
		volatile = defaultVolatile[:]
	}
	if text == nil {
		text = make([]byte, 0, 512)
	}
	h := canonical{buf: text[:0], volatile: volatile, paths: paths}
	h.text(`{"branches":[`, "")
	for i := range c.Branches {
		b := &c.Branches[i]
		h.text(`{"capability":`, b.Capability)
		h.payload(b.Payload)
		h.text(`,"task":`, b.Task)
		h.text(`,"to":`, b.Target)
		h.buf = append(h.buf, '}')
	}
	h.text(`],"from":`, from)
	h.payload(c.Payload)
	h.text(`,"task":`, c.Task)
	h.text(`,"to":`, to)
	h.buf = append(h.buf, '}')
	return shortHash(h.buf), h.buf
}

// shortHash returns the first 16 bytes of SHA-256 in hex.
func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	var out [32]byte
	hex.Encode(out[:], sum[:16])
	return string(out[:])
}

// canonical writes values so that equal ones are equal bytes.
type canonical struct {
	buf      []byte
	volatile []string
	path     jsonPath // keys alone, if there are paths among the volatile ones
	paths    bool
	depth    int
	cut      bool // a value is too deep: the rest does not count
}

// text writes a text behind its key.
func (h *canonical) text(key, text string) {
	h.buf, _ = jsonwrite.AppendText(append(h.buf, key...), text)
}

func (h *canonical) payload(m map[string]any) {
	h.buf = append(h.buf, `,"payload":`...)
	h.object(m)
}

func (h *canonical) object(m map[string]any) {
	keys := make([]string, 0, 16)
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	h.buf = append(h.buf, '{')
	for _, k := range keys {
		if h.paths {
			h.path.push(k)
		}
		if !h.isVolatile(k) {
			h.text("", k)
			h.buf = append(h.buf, ':')
			h.any(m[k])
			h.buf = append(h.buf, ',')
		}
		if h.paths {
			h.path.pop()
		}
	}
	h.buf = append(h.buf, '}')
}

// isVolatile reports whether the key at hand does not count.
func (h *canonical) isVolatile(key string) bool {
	for _, v := range h.volatile {
		if v == key || h.paths && v == h.path.text() && strings.Contains(v, ".") {
			return true
		}
	}
	return false
}

func (h *canonical) any(v any) {
	switch x := v.(type) {
	case nil:
		h.buf = append(h.buf, "null"...)
	case string:
		h.text("", x)
	case bool:
		h.buf = strconv.AppendBool(h.buf, x)
	case int64:
		h.buf = strconv.AppendInt(h.buf, x, 10)
	case float64:
		h.float(x)
	case []any:
		h.list(x)
	case map[string]any:
		if !h.deeper() {
			return
		}
		h.object(x)
		h.depth--
	default:
		h.other(v)
	}
}

func (h *canonical) list(list []any) {
	if !h.deeper() {
		return
	}
	h.buf = append(h.buf, '[')
	for _, v := range list {
		h.any(v)
		h.buf = append(h.buf, ',')
	}
	h.buf = append(h.buf, ']')
	h.depth--
}

// deeper goes into a list or map. It is false for values that hold themselves;
// none that was read is so deep.
func (h *canonical) deeper() bool {
	h.cut = h.cut || h.depth >= mostJSONDepth
	if !h.cut {
		h.depth++
	}
	return !h.cut
}

// float writes a whole number as an integer.
func (h *canonical) float(f float64) {
	if n := int64(f); f >= math.MinInt64 && f < math.MaxInt64 && float64(n) == f {
		h.buf = strconv.AppendInt(h.buf, n, 10)
		return
	}
	h.buf = strconv.AppendFloat(h.buf, f, 'g', -1, 64)
}

// other writes numbers of other types; values that a payload cannot hold are
// all the same.
func (h *canonical) other(v any) {
	out, err := state.AppendAny(nil, v)
	if err != nil {
		h.buf = append(h.buf, '?')
		return
	}
	if whole, err := state.ParseAny(out); err == nil {
		h.any(whole)
	}
}
