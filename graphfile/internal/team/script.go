package team

import (
	"strings"
	"time"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
)

// Script is what an agent does, turn by turn. It does not change and may be
// run by any number of tasks at once.
type Script struct {
	agent string
	place string
	turns []entry
	reads bool // it names the messages
}

// entry is one entry of the script: what the agent does in a turn.
type entry struct {
	when  *expression.Condition // nil: by number
	place string                // of when
	// number is the turn that an entry without when is for, last tells that
	// it is for all that follow as well.
	number int
	last   bool

	takes         time.Duration
	tokens, calls *slot
	fail          *task.Failure
	asks          []task.Ask
	tools         []tool
	say           []*slot
	fields        []string // that update writes
	beside        []beside // agents that spawns start at once
	update        Writer
	acts          []act
	triggers      []emitted
}

// emitted is a trigger that an entry names.
type emitted struct {
	trigger, place string
}

// script reads the turns of an agent; nil if it has none.
func (r *reader) script(f *source.Fields, agent string) *Script {
	n := f.Take("turns")
	if n == nil || n.Kind == source.Null {
		return nil
	}
	items, _ := f.Items("turns")
	s := &Script{agent: agent, place: r.At(n.Pos, "turns"), reads: mentions(n, "messages")}
	if n.Kind == source.List && len(items) == 0 {
		r.Rep.Errorf(f.KeyPos("turns"), `"turns" is empty`).Hint = "an agent without turns ends each of them at once"
	}
	plain, scope := 0, r.scriptScope()
	for _, item := range items {
		e := r.entry(item, scope)
		if e.when == nil && item.Get("when") == nil {
			plain++
			e.number = plain
		}
		s.turns = append(s.turns, e)
	}
	for i := range s.turns {
		s.turns[i].last = plain > 0 && s.turns[i].number == plain
	}
	r.unreached(items, s)
	return s
}

// mentions tells that a word stands in a text of a value.
func mentions(n *source.Node, word string) bool {
	if strings.Contains(n.Text, word) {
		return true
	}
	for _, item := range n.Items {
		if mentions(item, word) {
			return true
		}
	}
	for _, e := range n.Entries {
		if mentions(e.Value, word) {
			return true
		}
	}
	return false
}

// unreached warns of entries behind the one that is for all turns that follow:
// only the turns before that one reach them.
func (r *reader) unreached(items []*source.Node, s *Script) {
	for i := range s.turns {
		if !s.turns[i].last || s.turns[i].number > 1 {
			continue
		}
		for _, item := range items[i+1:] {
			r.Rep.Warnf(item.Pos, "this entry is never reached: the one before it has no \"when\" and is for every turn")
		}
		return
	}
}

// entry reads one entry of a script.
func (r *reader) entry(n *source.Node, scope expression.Scope) entry {
	f := r.Rep.Fields(n, "a turn")
	e := entry{}
	if when := f.Take("when"); when != nil {
		e.when, _ = r.Condition(when, scope)
		e.place = r.At(when.Pos, "when")
	}
	e.takes, _ = f.Duration("takes", 0, task.Longest)
	e.tokens, e.calls = r.numberAt(f, "tokens", scope), r.numberAt(f, "calls", scope)
	e.fail = task.ReadFail(r.Page, f).Compile(r.Page, scope)
	e.asks, scope = task.CompileAsks(r.Page, task.ReadAsks(r.Page, f), scope)
	for _, item := range f.OneOrMany("tool") {
		e.tools = append(e.tools, r.tool(item, scope))
	}
	for _, item := range f.OneOrMany("say") {
		if _, ok := r.Rep.Text(item, `"say"`); ok {
			e.say = append(e.say, r.value(item, "say", scope))
		}
	}
	if entries := f.Entries("update"); len(entries) > 0 {
		e.update = r.Update(entries, scope)
		for _, entry := range entries {
			e.fields = append(e.fields, entry.Key)
		}
	}
	e.acts = r.acts(f, scope)
	for _, n := range f.OneOrMany("spawn") {
		e.beside = append(e.beside, besideOf(n))
	}
	for _, key := range []string{"emit", "handoff", "spawn"} {
		for _, n := range f.OneOrMany(key) {
			if trigger := triggerOf(n, key); trigger != "" {
				e.triggers = append(e.triggers, emitted{trigger, r.Place(n.Pos)})
			}
		}
	}
	f.Done()
	return e
}

// tool is an ordinary tool that an agent calls.
type tool struct {
	name                 string
	input, output, error *slot
}

// tool reads one call of a tool.
func (r *reader) tool(n *source.Node, scope expression.Scope) tool {
	f := r.Rep.Fields(n, "a tool call")
	var t tool
	if name := f.Need("name"); name != nil {
		t.name, _ = f.Text("name")
		if t.name == "" && name.Kind == source.String {
			r.Rep.Errorf(name.Pos, `"name" needs a tool's name`)
		}
	}
	t.input = r.value(f.Take("input"), "input", scope)
	if f.AtMostOne("output", "error") == "error" {
		t.error = r.textAt(f, "error", scope)
	} else {
		t.output = r.value(f.Take("output"), "output", scope)
	}
	f.Done()
	return t
}
