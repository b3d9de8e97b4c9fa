package handoffs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// refGroup is a spawn whose branches are at work.
type refGroup struct {
	caller *refStack
	join   handoffs.Join
	parts  []handoffs.BranchResult
	due    time.Duration // 0: never
	place  int           // of the spawn among what the caller asked for
}

// spawns starts branches; the code says why it could not.
func (s *refStack) spawns(op *rndOp) handoffs.Code {
	g := &refGroup{caller: s, join: op.Join, place: s.asked}
	var offers []*refOffer
	var first handoffs.Code
	names := map[string]int{}
	for _, b := range op.Branches {
		b.Kind, b.Priority = handoffs.Spawn, op.Priority
		if b.Task == "" {
			b.Task = op.Task
		}
		name := b.To
		if names[b.To]++; names[b.To] > 1 {
			name = fmt.Sprintf("%s#%d", b.To, names[b.To])
		}
		part := handoffs.BranchResult{Branch: name, Agent: b.To}
		if code := s.run.check(s, &b, b.To); code != "" {
			s.run.ask(handoffs.Spawn, s.agent, b.To).end(handoffs.Rejected, code)
			part.Done, part.Outcome = true, handoffs.Outcome{Status: handoffs.Rejected, Code: code}
			if first == "" {
				first = code
			}
		} else {
			child := s.child(&b, nil)
			child.branch, child.group, child.part = name, g, len(g.parts)
			o := s.run.counted(&refOffer{h: &refHandoff{to: b.To}, source: s, child: child, op: &b, grant: b.Budget})
			offers = append(offers, o)
			s.run.queue = append(s.run.queue, o) // what it may use is set aside
		}
		g.parts = append(g.parts, part)
	}
	s.run.queue = s.run.queue[:len(s.run.queue)-len(offers)]
	if len(op.Branches) == 0 {
		first = handoffs.CodeSyntax
	}
	if first != "" && !g.hopeful() {
		for _, o := range offers {
			s.run.uncount(o)
		}
		s.run.ask(handoffs.Spawn, s.agent, "").end(handoffs.Rejected, first)
		return first
	}
	s.waits++
	if op.Join.Timeout > 0 {
		g.due = s.run.clock + op.Join.Timeout
	}
	s.run.groups = append(s.run.groups, g)
	for _, o := range offers {
		o.h = s.run.ask(handoffs.Spawn, s.agent, o.child.agent)
		o.child.call = o.h
		s.run.offer(o)
	}
	return ""
}

// need is how many branches must succeed.
func (g *refGroup) need() int {
	if g.join.Need == 0 {
		return len(g.parts)
	}
	return g.join.Need
}

func (g *refGroup) count() (good, open int) {
	for i := range g.parts {
		switch p := &g.parts[i]; {
		case !p.Done:
			open++
		case p.Outcome.Status == handoffs.Completed || p.Outcome.Status == handoffs.Partial:
			good++
		}
	}
	return good, open
}

// hopeful: it can still come to something.
func (g *refGroup) hopeful() bool {
	good, open := g.count()
	return good+open > 0 && (good+open >= g.need() || g.join.Partial)
}

// arrived takes the result of a branch, which may decide the join.
func (g *refGroup) arrived(part int, agent string, out handoffs.Outcome) {
	p := &g.parts[part]
	p.Agent, p.Done, p.Outcome = agent, true, out
	good, open := g.count()
	if good >= g.need() || open == 0 || good+open < g.need() && !g.join.Partial {
		g.joined(handoffs.Cancelled, handoffs.CodeCancelled)
	}
}

// joined ends the branches that are left, and gives the caller the result.
func (g *refGroup) joined(status handoffs.Status, code handoffs.Code) {
	r, s := g.caller.run, g.caller
	r.groups = slices.DeleteFunc(slices.Clone(r.groups), func(o *refGroup) bool { return o == g })
	out := handoffs.Outcome{Status: handoffs.Completed}
	good, _ := g.count()
	for i := range g.parts {
		p := &g.parts[i]
		if !p.Done {
			r.cancelPart(g, i, status, code)
			p.Done, p.Outcome = true, handoffs.Outcome{Status: handoffs.Cancelled, Code: code}
		}
		if p.Outcome.Status != handoffs.Completed && p.Outcome.Status != handoffs.Partial {
			out.Missing = append(out.Missing, p.Branch)
		}
	}
	switch late := code == handoffs.CodeJoinTime; {
	case good >= g.need():
	case g.join.Partial && good > 0:
		out.Status = handoffs.Partial
	case late:
		out.Status, out.Code = handoffs.Failed, handoffs.CodeJoinTime
	default:
		out.Status, out.Code = handoffs.Failed, handoffs.CodeJoin
	}
	res := handoffs.CallResult{Outcome: out, Parts: g.parts}
	arbiter := g.agree(&res)
	if arbiter == "" {
		s.result(g.place, res)
		return
	}
	s.takes(g.place, res)
	s.waits-- // what the stack waits for now is the arbiter
	task := "resolve the conflicts"
	if to, code := s.calls(&rndOp{Kind: handoffs.Call, To: arbiter, Task: task}); code != "" {
		s.waits++
		s.result(s.asked, rejected(to, task, code))
	}
}

// cancelPart ends a branch.
func (r *refRun) cancelPart(g *refGroup, part int, status handoffs.Status, code handoffs.Code) {
	for _, s := range slices.Clone(r.open) {
		if s.group == g && s.part == part {
			r.cancel(s, status, code)
		}
	}
	for _, o := range slices.Clone(r.queue) {
		if o.child != nil && o.child.group == g && o.child.part == part {
			r.drop(o, handoffs.Cancelled, code)
		}
	}
}

// agree puts the outputs of the branches together. It returns the agent that
// decides about conflicts, if there are any.
func (g *refGroup) agree(res *handoffs.CallResult) (arbiter string) {
	by := map[string]map[string]any{}
	for _, p := range g.parts {
		for key, v := range p.Outcome.Outputs {
			if by[key] == nil {
				by[key] = map[string]any{}
			}
			by[key][p.Branch] = v
		}
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		value, winner, same := g.choose(key, by[key])
		if !same {
			res.Conflicts = append(res.Conflicts, handoffs.Conflict{Key: key, Values: by[key], Winner: winner})
			if agent, ok := strings.CutPrefix(g.join.Resolve, "agent:"); ok {
				arbiter = agent
				continue
			} else if winner == "" {
				res.Outcome.Status, res.Outcome.Code = handoffs.Failed, handoffs.CodeConflict
				continue
			}
		}
		if res.Outcome.Outputs == nil {
			res.Outcome.Outputs = map[string]any{}
		}
		res.Outcome.Outputs[key] = value
	}
	return arbiter
}

// choose returns the value that all branches wrote, or that of the winner.
func (g *refGroup) choose(key string, by map[string]any) (value any, winner string, same bool) {
	var wrote []string
	texts := map[string]bool{}
	for _, p := range g.parts {
		if v, ok := by[p.Branch]; ok {
			wrote, value = append(wrote, p.Branch), v
			texts[rndJSON(v)] = true
		}
	}
	switch {
	case len(texts) == 1:
		return value, "", true
	case g.join.Resolve == "first":
		return by[wrote[0]], wrote[0], false
	case g.join.Resolve == "last":
		return value, wrote[len(wrote)-1], false
	}
	return nil, "", false
}
