package team

import (
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
)

// triggerOf is the trigger that an act names; "": none.
func triggerOf(n *source.Node, key string) string {
	if key == "emit" && n.Kind == source.String {
		return n.Text
	}
	if t := n.Get("trigger"); t != nil && t.Kind == source.String {
		return t.Text
	}
	return ""
}

// Writes are the fields that the script writes, each once.
func (s *Script) Writes() []string {
	var out []string
	if s == nil {
		return nil
	}
	for i := range s.turns {
		for _, f := range s.turns[i].fields {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// tellRules tells the handoff rules what the scripts emit and write.
func (t *Team) tellRules() {
	rules := t.Policy.Rules
	if rules == nil {
		return
	}
	rules.Emits, rules.Sets = []handoffs.Emission{}, map[string][]string{}
	for _, a := range t.Agents {
		sets := []string{}
		for _, f := range a.writes() {
			sets = append(sets, f, "len("+f+")")
		}
		rules.Sets[a.ID] = sets
		if a.Script == nil {
			continue
		}
		for i := range a.Script.turns {
			e := &a.Script.turns[i]
			for _, x := range e.triggers {
				rules.Emits = append(rules.Emits, handoffs.Emission{Trigger: x.trigger, By: []string{a.ID}, When: e.guard(), Place: x.place})
			}
		}
	}
}

// guard is what holds where an entry is taken, as far as it is known.
func (e *entry) guard() *handoffs.Guard {
	if e.when == nil {
		return nil
	}
	return &handoffs.Guard{Text: e.when.String(), Range: rangeOf(e.when)}
}
