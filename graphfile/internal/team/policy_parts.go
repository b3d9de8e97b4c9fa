package team

import (
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// checks reads the names of the checks of the pipeline, in their order.
func (r *reader) checks(f *source.Fields, p *handoffs.Policy) {
	if f.Has("checks") {
		p.Checks = r.checksAt(f, "checks")
	}
	if f.Has("user_checks") {
		p.UserChecks = r.checksAt(f, "user_checks")
	}
}

func (r *reader) checksAt(f *source.Fields, key string) []handoffs.Check {
	all := handoffs.DefaultChecks()
	names, byName := make([]string, len(all)), map[string]handoffs.Check{}
	for i, c := range all {
		names[i], byName[c.Name] = c.Name, c
	}
	out := []handoffs.Check{}
	seen := map[string]bool{}
	for _, n := range f.OneOrMany(key) {
		name, ok := r.Rep.Text(n, quote(key))
		switch c, known := byName[name]; {
		case !ok:
		case !known:
			r.Rep.Unknown(n.Pos, "check", name, names)
		case seen[name]:
			r.Rep.Errorf(n.Pos, "the check %q is there twice", name)
		default:
			seen[name] = true
			out = append(out, c)
		}
	}
	return out
}

// loops reads the loop rules.
func (r *reader) loops(f *source.Fields) []handoffs.LoopRule {
	out := []handoffs.LoopRule{}
	items, _ := f.Items("loops")
	for _, n := range items {
		out = append(out, r.loop(r.Rep.Fields(n, "a loop rule")))
	}
	return out
}

func (r *reader) loop(f *source.Fields) handoffs.LoopRule {
	l := handoffs.LoopRule{Window: count(f, "window", 1), Longest: count(f, "longest", 1)}
	l.Name, _ = f.Text("name")
	if f.Need("key") != nil {
		l.Key = wordOf(f, "key", loopKeys()...)
	}
	if f.Need("threshold") != nil {
		l.Threshold = count(f, "threshold", 1)
	}
	l.Kinds = wordsOf(r, f, "kinds", handed()...)
	l.From, l.To = r.agentAt(f, "from"), r.agentAt(f, "to")
	if l.Key != "" && l.Key != handoffs.LoopEdge && l.Key != handoffs.LoopQuota {
		for _, key := range f.Present("from", "to") {
			r.Rep.Errorf(f.KeyPos(key), "%s is only for loop rules by edge or quota", quote(key))
		}
	}
	if l.Key != "" && l.Key != handoffs.LoopCycle && f.Has("longest") {
		r.Rep.Errorf(f.KeyPos("longest"), `"longest" is only for loop rules by cycle`)
	}
	l.Retries, _ = f.Bool("retries")
	l.Action = r.actionAt(f, "action")
	l.Code = wordOf(f, "code", codes()...)
	f.Done()
	return l
}

// breaker reads the circuit breaker.
func (r *reader) breaker(f *source.Fields) *handoffs.BreakerPolicy {
	b := &handoffs.BreakerPolicy{
		Key:       defaultOf(f, "key", "all", handoffs.BreakTarget, handoffs.BreakEdge, handoffs.BreakCapability),
		Threshold: count(f, "threshold", 1), Probes: count(f, "probes", 1), Successes: count(f, "successes", 1),
	}
	b.Reset, _ = f.Duration("reset", 1, task.Longest)
	b.Factor, _ = f.Float("factor", 1, 1000)
	b.Most, _ = f.Duration("most", 1, task.Longest)
	f.Done()
	return b
}

// router reads how an agent is chosen among those that have a capability: a word,
// or {model, fallback} for one that asks a model.
func (r *reader) router(f *source.Fields) handoffs.Router {
	if n := f.Take("router"); n.Kind != source.Map {
		return routerNamed(wordOf(f, "router", routers()...))
	}
	g := f.Fields("router", `"router"`)
	g.Need("model")
	out := handoffs.ByTask{}
	if m := r.Kit.Models.At(g, "model"); m != nil {
		out.Ask = r.Ask(m)
	}
	if g.Has("fallback") {
		out.Fallback = routerNamed(wordOf(g, "fallback", routers()...))
	}
	g.Done()
	return out
}

func routers() []string {
	return []string{"first", "least_loaded", "weighted", "weighted_by_handoff", "sticky", "cheapest"}
}

func routerNamed(word string) handoffs.Router {
	switch word {
	case "least_loaded":
		return handoffs.LeastLoaded{}
	case "weighted":
		return handoffs.Weighted{}
	case "weighted_by_handoff":
		return handoffs.Weighted{ByHandoff: true}
	case "sticky":
		return handoffs.Sticky{}
	case "cheapest":
		return handoffs.Cheapest{}
	}
	return handoffs.FirstMatch{}
}

// queue reads the order of handoffs that wait.
func (r *reader) queue(f *source.Fields) handoffs.QueuePolicy {
	q := handoffs.QueuePolicy{Most: count(f, "most", 1)}
	q.Ageing, _ = f.Duration("ageing", 1, task.Longest)
	if f.Has("levels") {
		q.Levels = map[handoffs.Priority]int{}
		g := f.Fields("levels", `"levels"`)
		for _, p := range priorities() {
			g.Need(string(p))
			n, _ := g.Int(string(p), 0, math.MaxInt32)
			q.Levels[p] = int(n)
		}
		g.Done()
	}
	f.Done()
	return q
}

// approval reads which handoffs a person must approve: true, or a map.
func (r *reader) approval(f *source.Fields, key string) *handoffs.ApprovalPolicy {
	n := f.Take(key)
	if n.Kind == source.Bool {
		if !n.Bool {
			return nil
		}
		return &handoffs.ApprovalPolicy{}
	}
	g := r.Rep.Fields(n, quote(key))
	a := &handoffs.ApprovalPolicy{
		When: r.guard(g.Take("when"), r.guardScope(nil)), Agents: r.agentNames(g, "agents"),
		Default: wordOf(g, "default", handoffs.Approve, handoffs.Disapprove), OnReject: r.actionAt(g, "on_reject"),
	}
	a.Expires, _ = g.Duration("expires", 1, task.Longest)
	a.Text, _ = g.Text("text")
	a.Words, _ = g.Bool("words")
	if g.Has("default") && !g.Has("expires") {
		r.Rep.Errorf(g.KeyPos("default"), `"default" is the answer of an approval that expires, and "expires" is not there`)
	}
	g.Done()
	return a
}

// retry reads when and how often a failed handoff is tried again; nil if it is
// not there. Its keys are those of nodes, but intervals are exact without
// jitter.
func (r *reader) retry(f *source.Fields) *handoffs.Retry {
	policy := task.ReadRetry(r.Page, f)
	if policy == nil {
		return nil
	}
	out := &handoffs.Retry{Initial: policy.InitialInterval, Factor: policy.Backoff, Most: policy.MaxInterval}
	out.Jitter = f.Take("retry").Get("jitter") != nil && !policy.NoJitter
	if policy.MaxAttempts > 0 {
		if out.Max = policy.MaxAttempts - 1; out.Max == 0 {
			out.Max = -1
		}
	}
	return out
}

// constantMap reads a map without expressions that depend on anything.
func (r *reader) constantMap(f *source.Fields, key string) map[string]any {
	s := r.valueAt(f, key, expression.Scope{}, expression.Map)
	if s == nil {
		return nil
	}
	m, err := s.object(nil)
	if err != nil {
		r.Rep.Errorf(f.Take(key).Pos, "%v", err)
	}
	return m
}

// constants reads a list of values without expressions that depend on anything.
func (r *reader) constants(f *source.Fields, key string) []any {
	s := r.valueAt(f, key, expression.Scope{}, expression.List)
	if s == nil {
		return nil
	}
	l, err := s.items(nil)
	if err != nil {
		r.Rep.Errorf(f.Take(key).Pos, "%v", err)
	}
	return l
}
