package handoffs

import (
	"fmt"
	"slices"
)

// assignable reports whether what is of one type of result may stand for
// another one. Where a type is not named it is looked at when the result is there.
func assignable(from, to string) bool {
	return anyResult(from) || anyResult(to) || from == to || from == "int" && to == "float"
}

func anyResult(name string) bool { return name == "" || name == "any" }

// resultOf is the type of the result that the target of a call owes: what the edge's
// callers expect, or else what the target says of itself.
func resultOf(e *Edge, target *Profile) string {
	if e != nil && !anyResult(e.Result) {
		return e.Result
	}
	if target == nil || anyResult(target.Result) {
		return ""
	}
	return target.Result
}

// unfitResults tells of an agent that may have to return a result of another type
// than its own: called over an edge that expects another one, or by a transfer
// from an agent that was called.
func (p *Policy) unfitResults() error {
	typed := false
	for a := range p.Registry.All() {
		typed = typed || !anyResult(a.Result)
	}
	if !typed {
		return nil
	}
	owes := map[string][]string{} // by agent, the types of what it may owe
	over := map[string][]string{} // by agent, whom it may hand over to
	for _, e := range p.declared() {
		for _, a := range p.arcsOf(nil, &e, p.leads(&e), "") {
			to, _ := p.Registry.Get(a.to)
			if !a.call {
				over[a.from] = append(over[a.from], a.to)
				continue
			}
			name := resultOf(&e, to)
			if !assignable(to.Result, name) {
				return fmt.Errorf("handoffs: %s expects a result of the type %q, and %s returns %q: let the edge expect that, or lead elsewhere", e.title(), name, a.to, to.Result)
			}
			if name != "" {
				owes[a.to] = with(owes[a.to], name)
			}
		}
	}
	return p.handOn(owes, over)
}

// declared are the edges of a policy, its rules' and the ladder's.
func (p *Policy) declared() []Edge {
	out := slices.Clone(p.Edges)
	if p.Edges == nil {
		out = []Edge{{}}
	}
	if p.Rules != nil {
		for i := range p.Rules.List {
			r := &p.Rules.List[i]
			e := *r.edge()
			if e.To = p.targets(r); e.To != nil {
				out = append(out, e)
			}
		}
	}
	if len(p.Ladder) > 0 {
		out = append(out, Edge{To: p.Ladder, Kinds: []Kind{Escalate}})
	}
	return out
}

// handOn follows transfers: who takes over from an agent that was called owes
// its result.
func (p *Policy) handOn(owes, over map[string][]string) error {
	todo := sortedKeys(owes)
	for ; len(todo) > 0; todo = todo[1:] {
		from := todo[0]
		for _, id := range over[from] {
			to, _ := p.Registry.Get(id)
			for _, name := range owes[from] {
				if !assignable(to.Result, name) {
					return fmt.Errorf("handoffs: %s may be called for a result of the type %q, and hand over to %s, which returns %q: close that way, or let %s return %q", from, name, id, to.Result, id, name)
				}
				if more := with(owes[id], name); len(more) > len(owes[id]) {
					owes[id], todo = more, append(todo, id)
				}
			}
		}
	}
	return nil
}
