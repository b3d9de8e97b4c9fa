package handoffs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

func frameID(n int) string { return "f" + strconv.Itoa(n) }

// calls makes the calls and spawns of a turn. The frame waits for all of
// their results; if none could be made it goes on with the refusal.
func (w *work) calls(f *Frame, gs []given) error {
	f.Waits += len(gs)
	for range gs {
		f.Asked = push(f.Asked, w.id())
	}
	ids := f.Asked[len(f.Asked)-len(gs):]
	for i := range gs {
		if !w.isOpen(f) {
			return nil
		}
		do := w.hand
		if gs[i].command.kind() == Spawn {
			do = w.spawn
		}
		if err := do(f, &gs[i], ids[i]); err != nil || w.over() {
			return err
		}
	}
	return nil
}

// spawn starts the branches of a spawn.
func (w *work) spawn(f *Frame, g *given, id string) error {
	c := &g.command
	group := Group{ID: id, Caller: f.ID, Join: c.Join}
	if c.Join.Timeout > 0 {
		group.Due = w.now.Add(c.Join.Timeout)
	}
	var offers []*Offer
	var gives []given
	var decisions []Decision
	failed := 0
	var first Decision
	names := map[string]int{}
	for i := range c.Branches {
		b := c.Branches[i]
		bg := given{x: g.x, command: *c, rule: g.rule}
		bg.command.Target, bg.command.Capability = b.Target, b.Capability
		bg.command.Task, bg.command.Payload, bg.command.Budget = cmp.Or(b.Task, c.Task), b.Payload, b.Budget
		bg.command.Branches = nil
		r := w.record(f, &bg)
		r.Group = id
		if err := w.choose(f, &bg, r); err != nil {
			return err
		}
		name := branchName(cmp.Or(b.Name, bg.command.Target, "branch"), names)
		r.Branch, r.To = name, bg.command.Target
		part := BranchResult{Branch: name, Agent: bg.command.Target}
		cs, d := w.decide(f, &bg, r)
		if bg.err != nil {
			d = Decision{Verdict: Reject, Failures: []Failure{failureOf(bg.err)}}
		}
		if d.Verdict == Reject {
			w.noteRejected(r, &d)
			part.Done, part.Outcome = true, Outcome{Status: Rejected, Code: d.Failures[0].Code, Error: w.why(r, bg.command.Target, &d)}
			if failed == 0 {
				first = d
			}
			failed++
			group.Parts = append(group.Parts, part)
			continue
		}
		o := w.offer(f, &bg, r, cs, &d)
		o.Frame.Call, o.Frame.Caller, o.Frame.Group, o.Frame.Branch, o.Frame.Origin = id, f.ID, id, name, r.ID
		w.reserve(o)
		offers, gives, decisions = append(offers, o), append(gives, bg), append(decisions, d)
		group.Parts = append(group.Parts, part)
	}
	if len(c.Branches) == 0 || failed > 0 && !group.reachable() {
		if len(first.Failures) == 0 {
			first = Decision{Failures: []Failure{{Code: CodeSyntax, Message: "a spawn needs branches"}}}
		}
		w.unreserve(len(offers))
		return w.reject(f, g, w.recordAs(f, g, id), &first)
	}
	f.State = FrameCalling
	if g.x != nil && g.x.Reply {
		group.Reply = g.x.ID
	}
	w.d.Groups = push(w.d.Groups, group)
	w.unreserve(len(offers))
	for i := range offers {
		if err := w.accept(f, &gives[i], offers[i], &decisions[i]); err != nil {
			return err
		}
	}
	return w.join(id)
}

// branchName makes a name unique within its spawn.
func branchName(name string, seen map[string]int) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// need is how many branches must succeed.
func (g *Group) need() int {
	if g.Join.Need <= 0 || g.Join.Need > len(g.Parts) {
		return len(g.Parts)
	}
	return g.Join.Need
}

// tally counts the branches that succeeded and those that are at work.
func (g *Group) tally() (good, open int) {
	for i := range g.Parts {
		switch {
		case !g.Parts[i].Done:
			open++
		case g.Parts[i].Outcome.Status == Completed || g.Parts[i].Outcome.Status == Partial:
			good++
		}
	}
	return good, open
}

// reachable reports whether the join can still come to a result that counts.
func (g *Group) reachable() bool {
	good, open := g.tally()
	return good+open >= g.need() || g.Join.Partial && good+open > 0
}

func (w *work) group(id string) *Group {
	for i := range w.d.Groups {
		if w.d.Groups[i].ID == id {
			return &w.d.Groups[i]
		}
	}
	return nil
}

// join looks whether a spawn is decided, and gives its result to the caller.
func (w *work) join(id string) error {
	g := w.group(id)
	if g == nil {
		return nil
	}
	good, open := g.tally()
	decided := open == 0 || good >= g.need() || good+open < g.need() && !g.Join.Partial
	late := !g.Due.IsZero() && !g.Due.After(w.now)
	if !decided && !late {
		return nil
	}
	return w.joined(*g, good, late && open > 0)
}

// joined ends a spawn: what is still at work is cancelled.
func (w *work) joined(g Group, good int, late bool) error {
	code := CodeCancelled
	if late {
		code = CodeJoinTime
	}
	out := Outcome{Status: Completed}
	for i := range g.Parts {
		if p := &g.Parts[i]; !p.Done {
			w.cancelBranch(g.ID, p.Branch, code)
			p.Done, p.Outcome = true, Outcome{Status: Cancelled, Code: code}
		}
		if s := g.Parts[i].Outcome.Status; s != Completed && s != Partial {
			out.Missing = append(out.Missing, g.Parts[i].Branch)
		}
	}
	switch {
	case good < g.need() && !(g.Join.Partial && good > 0):
		out.Status, out.Code = Failed, CodeJoin
		if late {
			out.Code = CodeJoinTime
		}
		out.Error = w.p.text(out.Code, "value", strings.Join(out.Missing, ", "), "limit", strconv.Itoa(g.need()))
	case good < g.need():
		out.Status = Partial
	}
	res := CallResult{Handoff: g.ID, Outcome: out, Parts: g.Parts}
	arbiter := w.resolve(&g, &res)
	w.removeGroup(g.ID)
	e := w.add(Entry{Event: EventJoin, From: w.agentOf(g.Caller), Code: res.Outcome.Code})
	e.Detail = map[string]any{"group": g.ID, "status": string(res.Outcome.Status), "branches": int64(len(g.Parts)), "succeeded": int64(good)}
	return w.deliver(g.Caller, res, g.Reply, arbiter)
}

func (w *work) removeGroup(id string) {
	keep := w.d.Groups[:0:0]
	for _, g := range w.d.Groups {
		if g.ID != id {
			keep = append(keep, g)
		}
	}
	w.d.Groups = keep
}

func (w *work) agentOf(frame string) string {
	if f := w.frame(frame); f != nil {
		return f.Agent
	}
	return ""
}

// alone reports whether nobody works beside a frame: then its agent, while it
// is at work, is the active one.
func (w *work) alone(f *Frame) bool {
	for ; f != nil; f = w.frame(f.Caller) {
		if f.Group != "" || f.Detached || f.Waits > 1 {
			return false
		}
	}
	return true
}

// activate makes a frame's agent the active one, if nobody works beside it and
// calls change that at all.
func (w *work) activate(f *Frame) {
	if w.alone(f) && !(w.p.KeepActive && f.Caller != "") {
		w.setActive(f.Agent)
	}
}

// deliver gives a result to the frame that waits for it. With an arbiter the
// frame first waits for what that makes of the conflicts.
func (w *work) deliver(caller string, res CallResult, reply, arbiter string) error {
	f := w.frame(caller)
	if f == nil {
		return nil
	}
	f.Results = push(f.Results, res)
	slices.SortStableFunc(f.Results, func(a, b CallResult) int {
		return slices.Index(f.Asked, a.Handoff) - slices.Index(f.Asked, b.Handoff)
	})
	if reply != "" {
		w.answer(reply, f.Agent, resultText(&res), !res.Outcome.good())
	}
	f.Waits--
	if arbiter != "" {
		payload := map[string]any{}
		for _, c := range res.Conflicts {
			payload[c.Key] = c.Values
		}
		c := NewCommand(arbiter, ErrorRecovery, "branches wrote the same keys differently")
		c.Kind, c.Actor, c.Task, c.Payload = Call, BySystem, "resolve the conflicts", payload
		return w.calls(f, []given{{x: &Execution{}, command: c}})
	}
	if f.Waits > 0 {
		return nil
	}
	return w.resumeCaller(f)
}

// resumeCaller lets a frame go on whose results are all there.
func (w *work) resumeCaller(f *Frame) error {
	f.State = FrameRunning
	w.activate(f)
	nothing := allRejected(f.Results)
	if !nothing {
		f.Misses = 0
	}
	if t := f.Then; t != nil {
		f.Then = nil
		g := &given{x: &Execution{ID: t.Reply, Reply: t.Reply != "", Agent: f.Agent}, command: t.Command}
		if k := t.Command.kind(); k == Return || k == Refuse || k == Resume || k == Wait {
			return w.leave(f, g)
		}
		return w.hand(f, g, t.ID)
	}
	if nothing {
		return w.missed(f)
	}
	return w.again(f)
}

// allRejected reports whether none of the results is that of an agent's work.
func allRejected(results []CallResult) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r CallResult) bool { return r.Outcome.Status != Rejected })
}

// missed lets a frame go on all of whose calls were given back, unless that has
// happened too often in a row.
func (w *work) missed(f *Frame) error {
	if most := orDefault(w.p.Misses, 3); most <= 0 || f.Misses < most {
		f.Misses++
		return w.again(f)
	}
	last := &f.Results[len(f.Results)-1]
	ref := &Refusal{Handoff: last.Handoff, Target: last.Agent, Code: last.Outcome.Code, Codes: []Code{last.Outcome.Code}, Message: last.Outcome.Error}
	return w.act(f, Action{Do: ToSource}, ref, nil)
}

// again gives a frame another turn. If its turns, tokens or time are used up
// it ends as failed instead.
func (w *work) again(f *Frame) error {
	if code := w.p.turnLimit(w.view(), f, w.now); code != "" {
		text := w.p.text(code, "source", f.Agent, "target", f.Agent, "limit", strconv.Itoa(f.Limits.Turns))
		return w.fail(f, &Outcome{Status: Failed, Code: code, Error: text, Turns: f.Turns})
	}
	w.proceed(f)
	return nil
}

// overdueTime tells whether a time has come.
func (w *work) overdueTime(t time.Time) bool { return !t.IsZero() && !t.After(w.now) }
