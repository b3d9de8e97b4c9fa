package handoffs

import (
	"cmp"
	"fmt"
)

// spawning is a spawn whose branches are being decided.
type spawning struct {
	w     *work
	f     *Frame
	g     *given
	group Group
	names map[string]int
	ready []branching
	first *Decision // the first one that rejected a branch
}

// branching is a branch that may begin.
type branching struct {
	g given
	o *Offer
	d Decision
}

// spawn decides the branches of a spawn and lets those begin that may, if the
// join can be reached with them.
func (w *work) spawn(f *Frame, g *given, id string) error {
	s := &spawning{w: w, f: f, g: g, names: map[string]int{}, group: Group{ID: id, Caller: f.ID, Join: g.command.Join}}
	if t := g.command.Join.Timeout; t > 0 {
		s.group.Due = w.now.Add(t)
	}
	if g.x != nil && g.x.Reply {
		s.group.Reply = g.x.ID
	}
	for i := range g.command.Branches {
		if err := s.branch(&g.command.Branches[i]); err != nil {
			return err
		}
	}
	w.unreserve(len(s.ready))
	switch {
	case len(s.group.Parts) == 0:
		none := Decision{Failures: []Failure{{Code: CodeSyntax, Message: "a spawn needs branches"}}}
		return w.reject(f, g, w.recordAs(f, g, id), &none)
	case s.first != nil && !s.group.reachable():
		return w.reject(f, g, w.recordAs(f, g, id), s.first)
	}
	return s.begin()
}

// branch decides one branch.
func (s *spawning) branch(b *Branch) error {
	w := s.w
	g := s.given(b)
	r := w.record(s.f, &g)
	r.Group = s.group.ID
	if err := w.choose(s.f, &g, r); err != nil {
		return err
	}
	r.To = g.command.Target
	r.Branch = s.name(cmp.Or(b.Name, r.To, "branch"))
	part := BranchResult{Branch: r.Branch, Agent: r.To}
	c, d := w.decide(s.f, &g, r)
	if g.err != nil {
		d = Decision{Verdict: Reject, Failures: []Failure{failureOf(g.err)}}
	}
	if d.Verdict == Reject {
		w.noteRejected(r, &d)
		part.Done, part.Outcome = true, Outcome{Status: Rejected, Code: d.Failures[0].Code, Error: w.why(r, r.To, &d)}
		s.first = cmp.Or(s.first, &d)
	} else {
		o := w.offer(s.f, &g, r, c, &d)
		o.Frame.Call, o.Frame.Caller, o.Frame.Group, o.Frame.Branch, o.Frame.Origin = s.group.ID, s.f.ID, s.group.ID, r.Branch, r.ID
		w.reserve(o)
		s.ready = append(s.ready, branching{g, o, d})
	}
	s.group.Parts = append(s.group.Parts, part)
	return nil
}

// given is the handoff of a branch: what it does not say is as the spawn has it.
func (s *spawning) given(b *Branch) given {
	g := given{x: s.g.x, command: s.g.command, rule: s.g.rule}
	c := &g.command
	c.Target, c.Capability, c.Branches = b.Target, b.Capability, nil
	c.Task, c.Payload, c.Budget = cmp.Or(b.Task, c.Task), b.Payload, b.Budget
	return g
}

// name makes a branch's name unique within its spawn.
func (s *spawning) name(name string) string {
	s.names[name]++
	if n := s.names[name]; n > 1 {
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// begin lets the branches begin.
func (s *spawning) begin() error {
	w := s.w
	s.f.State = FrameCalling
	w.d.Groups = push(w.d.Groups, s.group)
	for i := range s.ready {
		b := &s.ready[i]
		if err := w.accept(s.f, &b.g, b.o, &b.d); err != nil {
			return err
		}
	}
	return w.join(s.group.ID)
}
