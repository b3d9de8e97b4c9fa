package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// filter leaves in the messages what the provider takes of them, and leaves
// out messages in which nothing remains.
func (w *work) filter(items []item) []item {
	out := items[:0]
	for _, it := range items {
		it.msg.Content = w.parts(it)
		w.name(&it)
		m := &it.msg
		if len(m.Content) == 0 && len(m.ToolCalls) == 0 && m.Role != state.RoleTool && !w.p.EmptyText {
			w.tell(EmptyDropped, it.at, "")
			continue
		}
		out = append(out, it)
	}
	return out
}

// parts returns a message's parts as they may be sent.
func (w *work) parts(it item) []state.Part {
	same := true
	kept := make([]state.Part, 0, len(it.msg.Content))
	for _, p := range it.msg.Content {
		p, kind := w.part(&it.msg, p)
		switch kind {
		case "":
			kept = append(kept, p)
			continue
		case PartReplaced:
			kept = append(kept, p)
		}
		same = false
		w.tell(kind, it.at, "")
	}
	if same {
		return it.msg.Content
	}
	return kept
}

// part returns a part as it may be sent, and what kind of repair that was; an
// empty kind if it may stay.
func (w *work) part(m *state.Message, p state.Part) (state.Part, Kind) {
	switch {
	case p.Type == TypeReasoning:
		signed := w.p.Reasoning != "" && p.MIME == w.p.Reasoning && len(p.Data) > 0
		if signed && m.Role == state.RoleAI && len(m.ToolCalls) > 0 {
			return p, ""
		}
		return p, ReasoningDropped
	case p.Type == "text":
		if !w.p.EmptyText && blank(p.Text) {
			return p, TextDropped
		}
		return p, ""
	case p.Type != "" && w.mayShow(m.Role) && (p.URL != "" || len(p.Data) > 0 && p.MIME != ""):
		return p, ""
	}
	what := p.Type
	if blank(what) {
		what = "part"
	}
	return state.Part{Type: "text", Text: fmt.Sprintf("[%s left out]", what)}, PartReplaced
}

// mayShow reports whether messages of a role may have other parts than text.
func (w *work) mayShow(role state.Role) bool {
	switch role {
	case state.RoleHuman:
		return true
	case state.RoleAI:
		return w.p.MediaFromAI
	case state.RoleTool:
		return w.p.MediaInResults
	}
	return false
}

// name leaves a speaker the name that it may have. Results' names are mended
// with their calls.
func (w *work) name(it *item) {
	m := &it.msg
	if m.Role == state.RoleTool || m.Name == "" {
		return
	}
	name := ""
	if w.p.Names {
		name = plain(m.Name, "")
	}
	if name != m.Name {
		m.Name = name
		w.tell(NameChanged, it.at, "")
	}
}

// reasoningFirst puts reasoning at the front of a message that has some but
// does not begin with it.
func (w *work) reasoningFirst(it *item) {
	reasons := func(p state.Part) bool { return p.Type == TypeReasoning }
	parts := it.msg.Content
	if len(parts) == 0 || reasons(parts[0]) || !slices.ContainsFunc(parts, reasons) {
		return
	}
	var front, rest []state.Part
	for _, p := range parts {
		if reasons(p) {
			front = append(front, p)
		} else {
			rest = append(rest, p)
		}
	}
	it.msg.Content = append(front, rest...)
	w.tell(ReasoningMoved, it.at, "")
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
