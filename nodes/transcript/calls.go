package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// nameMax is the longest name of a tool or a speaker in bytes.
const nameMax = 64

// mendCalls gives calls the ids, names and arguments that the provider takes,
// and their results the same.
func (w *work) mendCalls() {
	ids := w.newIDs()
	for i := range w.msgs {
		m := &w.msgs[i]
		if m.Role != state.RoleAI || len(m.ToolCalls) == 0 {
			continue
		}
		calls := slices.Clone(m.ToolCalls)
		for k := range calls {
			w.mendCall(&calls[k], i, ids)
		}
		for _, r := range w.replies[i] {
			w.mendResult(r, calls[w.result[r]])
		}
		m.ToolCalls = calls
	}
}

func (w *work) mendCall(c *state.ToolCall, at int, ids *idMaker) {
	was := c.ID
	if name := plain(c.Name, w.p.ToolChars); name != c.Name || name == "" {
		c.Name = name
		if name == "" {
			c.Name = "unknown"
		}
		w.tell(ToolRenamed, at, was)
	}
	if args, ok := object(c.Args); !ok {
		c.Args = args
		w.tell(ArgsChanged, at, was)
	}
	if w.p.FreeIDs {
		return
	}
	if c.ID = ids.id(was); c.ID != was {
		w.tell(IDChanged, at, was)
	}
}

// mendResult makes a result fit its mended call.
func (w *work) mendResult(r int, c state.ToolCall) {
	m := &w.msgs[r]
	if !w.p.AnyResultName && m.Name != c.Name {
		w.tell(ResultRenamed, r, m.ToolCallID)
		m.Name = c.Name
	}
	m.ToolCallID = c.ID
}

// idMaker gives ids to calls that have none to keep.
type idMaker struct {
	max   int
	used  map[string]bool // ids of calls so far
	taken map[string]bool // ids that calls of the input have
	last  int
}

func (w *work) newIDs() *idMaker {
	ids := &idMaker{max: w.p.idMax(), used: map[string]bool{}, taken: map[string]bool{}}
	for _, m := range w.msgs {
		for _, c := range m.ToolCalls {
			ids.taken[c.ID] = true
		}
	}
	return ids
}

// id returns the id that a call with the given one may have.
func (ids *idMaker) id(was string) string {
	fits := was != "" && (ids.max < 0 || len(was) <= ids.max) && spelled(was, "")
	id := was
	for !fits || ids.used[id] {
		ids.last++
		id = fmt.Sprintf("c%08d", ids.last)
		fits = !ids.taken[id]
	}
	ids.used[id] = true
	return id
}

// object returns arguments as the text of a JSON object, and whether they are
// one already. None count as one.
func object(args json.RawMessage) (json.RawMessage, bool) {
	text := bytes.TrimSpace(args)
	valid := json.Valid(args)
	if len(args) == 0 || valid && text[0] == '{' {
		return args, true
	}
	if wrapped := slices.Concat([]byte(`{"input":`), text, []byte("}")); valid && json.Valid(wrapped) {
		return wrapped, false
	}
	b, err := json.Marshal(map[string]string{"input": string(args)})
	if err != nil { // a text can always be written
		b = []byte("{}")
	}
	return b, false
}

// spelled reports whether s has letters, digits, "_", "-" and extra alone.
func spelled(s, extra string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !mayHave(r, extra) })
}

// plain returns s with "_" for what a name may not have, cut to its bound.
func plain(s, extra string) string {
	if !spelled(s, extra) {
		s = strings.Map(func(r rune) rune {
			if mayHave(r, extra) {
				return r
			}
			return '_'
		}, s)
	}
	if len(s) > nameMax {
		s = strings.ToValidUTF8(s[:nameMax], "")
	}
	return s
}

func mayHave(r rune, extra string) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
		return true
	}
	return r != '\uFFFD' && strings.ContainsRune(extra, r)
}
