package handoffs

import (
	"strconv"
	"strings"
)

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
