package team

import (
	"context"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// mostWays is how many edges of handoffs a policy may have, and how many rules.
const mostWays = 10_000

// Sections are the parts of a graph file that are about agents. Those that are
// not there are nil.
type Sections struct {
	Pos                               source.Pos // of the graph
	Agents, Handoffs, Rules, Workflow *source.Node
}

// Writer makes the writes of an update for what its expressions see.
type Writer func(expression.Env) ([]state.Write[state.Record], error)

// Source is what Read reads.
type Source struct {
	*page.Page
	Sections
	// Scope has the fields of the state.
	Scope expression.Scope
	// Update compiles an update of the state and reports what is wrong with it.
	Update func(entries []source.Entry, scope expression.Scope) Writer
	// Kit has the models and tools that agents may name.
	Kit *agent.Kit
	// Ask makes a function that asks a model with a text.
	Ask func(*models.Spec) func(ctx context.Context, prompt string) (string, error)
}

// Team is what the sections say.
type Team struct {
	Agents []*Agent // in the order of the file
	Policy *handoffs.Policy
	// Digest is a text that changes when the work makes progress; nil: the
	// file names none.
	Digest func(state.Record) string
	// Block lets the run itself wait for what falls due by time.
	Block bool
}

// Agent is one of the agents.
type Agent struct {
	handoffs.Profile
	Pos    source.Pos
	Script *Script     // nil: it ends its turns at once
	Model  *agent.Spec // nil: it has no model
	Node   Node
}

// Read makes the team of the sections. Where something is wrong with them it
// is reported, and the team must not be used.
func Read(s *Source) *Team {
	r := &reader{Source: s, byID: map[string]bool{}}
	entries := s.Rep.Entries(orEmpty(s.Agents), `"agents"`)
	for _, e := range entries {
		r.ids = append(r.ids, e.Key)
		r.byID[e.Key] = true
	}
	r.stateNames()
	t := &Team{}
	t.Policy = r.policy(t)
	for _, e := range entries {
		t.Agents = append(t.Agents, r.agent(e))
	}
	r.registry(t)
	t.tellRules()
	return t
}

// reader reads the sections of one graph.
type reader struct {
	*Source
	ids     []string // of the agents, in the order of the file
	byID    map[string]bool
	states  []string // of the workflow; nil: there is none
	classes []string // economic classes of the policy
}

// orEmpty takes a value that was left out for an empty map.
func orEmpty(n *source.Node) *source.Node {
	if n == nil || n.Kind != source.Null {
		return n
	}
	return &source.Node{Kind: source.Map, Pos: n.Pos}
}

// agentName reads the name of an agent. It is "" if it is wrong.
func (r *reader) agentName(n *source.Node, what string) string {
	name, ok := r.Rep.Text(n, what)
	if !ok {
		return ""
	}
	if !r.byID[name] {
		r.Rep.Unknown(n.Pos, "agent", name, r.ids)
		return ""
	}
	return name
}

// agentAt reads the name of an agent under a key; "" if it is not there.
func (r *reader) agentAt(f *source.Fields, key string) string {
	return r.agentName(f.Take(key), quote(key))
}

// agentNames reads one name of an agent or a list of them.
func (r *reader) agentNames(f *source.Fields, key string) []string {
	var out []string
	for _, n := range f.OneOrMany(key) {
		if name := r.agentName(n, quote(key)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// stateNames gathers the states of the workflow.
func (r *reader) stateNames() {
	if r.Workflow == nil {
		return
	}
	r.states = []string{}
	if states := r.Workflow.Get("states"); states != nil && states.Kind == source.Map {
		for _, e := range states.Entries {
			r.states = append(r.states, e.Key)
		}
	}
}

// stateName reads the name of a state of the workflow; "" if it is wrong.
func (r *reader) stateName(n *source.Node, what string) string {
	name, ok := r.Rep.Text(n, what)
	switch {
	case !ok:
		return ""
	case r.states == nil:
		r.Rep.Errorf(n.Pos, "%s: there are no states", what).Hint = `declare them in the section "workflow"`
		return ""
	case !slices.Contains(r.states, name):
		r.Rep.Unknown(n.Pos, "state", name, r.states)
		return ""
	}
	return name
}

func (r *reader) stateAt(f *source.Fields, key string) string {
	return r.stateName(f.Take(key), quote(key))
}

// stateNamesAt reads one name of a state or a list of them.
func (r *reader) stateNamesAt(f *source.Fields, key string) []string {
	var out []string
	for _, n := range f.OneOrMany(key) {
		if name := r.stateName(n, quote(key)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// ways reads a list of edges or rules.
func (r *reader) ways(n *source.Node, what string) []*source.Node {
	items, _ := r.Rep.Items(n, what)
	if len(items) > mostWays {
		r.Rep.Errorf(n.Pos, "%s has %d entries, at most %d are allowed", what, len(items), mostWays)
		return items[:mostWays]
	}
	return items
}

// texts reads one text or a list of texts.
func texts(f *source.Fields, key string) []string {
	if !f.Has(key) {
		return nil
	}
	list, _ := f.TextOrTexts(key)
	return list
}

// wordOf reads one of several words. The first of them may be what is meant
// without the key, and is then "".
func wordOf[T ~string](f *source.Fields, key string, words ...T) T {
	word, _ := f.OneOf(key, asTexts(words)...)
	return T(word)
}

// defaultOf is wordOf with the first word, the default, as "".
func defaultOf[T ~string](f *source.Fields, key string, words ...T) T {
	word := wordOf(f, key, words...)
	if word == words[0] {
		return ""
	}
	return word
}

// wordsOf reads one of several words, or a list of them.
func wordsOf[T ~string](r *reader, f *source.Fields, key string, words ...T) []T {
	var out []T
	for _, n := range f.OneOrMany(key) {
		if word, ok := r.Rep.OneOf(n, quote(key), asTexts(words)...); ok {
			out = append(out, T(word))
		}
	}
	return out
}

func asTexts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

func quote(key string) string { return `"` + key + `"` }

// sortedKeys are the keys of a map in order.
func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
