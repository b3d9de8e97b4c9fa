package handoffs

import "slices"

// follow takes every way on from a node, behind a turn of its agent.
func (r *lintReach) follow(n lintNode) {
	known := lintBox{}
	for field, marks := range r.known[n] {
		if lasting(field) && r.keeps(n.agent, field) {
			known[field] = marks
		}
	}
	for i := range r.l.rules {
		r.rule(n, i, known)
	}
	for i := range r.l.p.Edges {
		r.edge(n, &r.l.p.Edges[i], known)
	}
	r.moves(n, known)
	r.rescues(n, known)
}

// rule takes a rule, if it can fire.
func (r *lintReach) rule(n lintNode, i int, known lintBox) {
	rule := &r.l.rules[i]
	if len(rule.From) > 0 && !slices.Contains(rule.From, n.agent) {
		return
	}
	boxes := r.l.fires(rule, n, known)
	if len(boxes) == 0 {
		return
	}
	calm, then := rule.Reason != ErrorRecovery, hull(boxes)
	for _, next := range []string{rule.Next, rule.Again} {
		if next == "" && (rule.Next != "" || rule.Again != "") {
			continue
		}
		if r.l.p.Machine.move(n.state, next) != nil {
			r.bars[i] = true
			continue
		}
		r.taken[i] = true
		for _, to := range r.l.p.targets(rule) {
			r.hand(n, lintNode{to, orState(next, n.state)}, []Kind{rule.kind()}, calm, then)
		}
	}
}

// fires returns what is known where a rule fires; nothing: it cannot.
func (l *linting) fires(rule *Rule, n lintNode, known lintBox) []lintBox {
	boxes := narrowBoxes(l.fields.boxes(rule.When), known)
	if len(rule.Triggers) == 0 {
		return boxes
	}
	var out []lintBox
	for _, t := range rule.Triggers {
		for _, when := range l.emitted(t, n) {
			out = append(out, narrowBoxes(l.fields.onTrigger(boxes, t), when)...)
		}
	}
	return out
}

// emitted returns what holds when a node's agent emits a trigger; nothing: it
// does not.
func (l *linting) emitted(trigger string, n lintNode) []lintBox {
	if l.p.Rules.Emits == nil {
		return []lintBox{{}}
	}
	var out []lintBox
	for i := range l.p.Rules.Emits {
		e := &l.p.Rules.Emits[i]
		if e.Trigger == trigger && admits(e.By, n.agent) && admits(e.In, n.state) {
			out = append(out, l.fields.boxes(e.When)...)
		}
	}
	return out
}

// edge takes an edge, if its agent may.
func (r *lintReach) edge(n lintNode, e *Edge, known lintBox) {
	if !admits(e.From, n.agent) || !admits(e.When, n.state) || e.Limits.Handoffs < 0 || r.l.p.Machine.move(n.state, e.Next) != nil {
		return
	}
	boxes := narrowBoxes(r.l.fields.boxes(e.Guard), known)
	if len(boxes) == 0 {
		return
	}
	calm, then := !slices.Equal(e.Reasons, []Reason{ErrorRecovery}), hull(boxes)
	for _, to := range r.l.p.leads(e) {
		r.hand(n, lintNode{to, orState(e.Next, n.state)}, e.Kinds, calm, then)
	}
}

func orState(next, state string) string {
	if next == "" {
		return state
	}
	return next
}

// hand takes a handoff of one of several kinds, of which none stands for all.
func (r *lintReach) hand(n, to lintNode, kinds []Kind, calm bool, known lintBox) {
	if n.agent == to.agent && !slices.Contains(kinds, Spawn) {
		return
	}
	r.step(lintStep{n, to, true, calm}, known)
	if admits(kinds, Call) || admits(kinds, Spawn) {
		r.calls(n.agent)
	}
}

// calls notes that an agent makes calls. When they return it finds the
// workflow and the state as anybody may have left them.
func (r *lintReach) calls(agent string) {
	if slices.Contains(r.callers, agent) {
		return
	}
	r.callers = append(r.callers, agent)
	for _, state := range sortedKeys(r.here) {
		r.back(state, agent)
	}
}

// back returns to a caller in a state in which somebody else can be at work.
func (r *lintReach) back(state, caller string) {
	for _, n := range r.here[state][:min(2, len(r.here[state]))] {
		if n.agent != caller {
			r.note(lintStep{lintNode{someone, state}, lintNode{caller, state}, false, true})
			r.find(n, lintNode{caller, state}, lintBox{})
			return
		}
	}
}

// moves lets an agent move the workflow by itself.
func (r *lintReach) moves(n lintNode, known lintBox) {
	m := r.l.p.Machine
	if m == nil {
		return
	}
	for _, s := range m.names() {
		if by := m.Responsible(s); s != n.state && (by == "" || by == n.agent) && m.move(n.state, s) == nil {
			r.step(lintStep{n, lintNode{n.agent, s}, false, true}, known)
		}
	}
}

// rescues lets others take over from an agent that fails or whose handoff is
// rejected.
func (r *lintReach) rescues(n lintNode, known lintBox) {
	p := r.l.p
	ids := append([]string{p.Supervisor, p.OnFailure.Target}, p.Ladder...)
	for _, code := range sortedKeys(p.OnReject) {
		ids = append(ids, p.OnReject[code].Target)
	}
	for _, id := range ids {
		if _, ok := p.Registry.Get(id); ok && id != n.agent {
			r.step(lintStep{n, lintNode{id, n.state}, true, false}, known)
		}
	}
}
