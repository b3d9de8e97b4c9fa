package handoffs_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// shrinkProgram makes a failing program smaller, and tells how it fails.
func shrinkProgram(p *rndProgram) string {
	how := ""
	fails := func(p *rndProgram) bool {
		_, err := runProgram(p, rndOptions{})
		if err != nil {
			how = err.Error()
		}
		return err != nil
	}
	if !fails(p) {
		return "in memory it does not fail"
	}
	for again := true; again; {
		again = false
		for i := 0; ; i++ {
			less := p.clone()
			cuts := less.cuts()
			if i >= len(cuts) {
				break
			}
			if cuts[i](); rndJSON(less) != rndJSON(p) && fails(less) {
				p, again = less, true
				i--
			}
		}
	}
	fails(p)
	return fmt.Sprintf("%s%s\n%s", p, how, rndJSON(p))
}

func (p *rndProgram) clone() *rndProgram {
	var c rndProgram
	if err := json.Unmarshal([]byte(rndJSON(p)), &c); err != nil {
		panic(err)
	}
	for i := range c.Agents { // JSON has no int64 in any
		for j := range c.Agents[i].Does {
			for k := range c.Agents[i].Does[j].Ops {
				c.Agents[i].Does[j].Ops[k].Result = p.Agents[i].Does[j].Ops[k].Result
			}
		}
	}
	return &c
}

// cuts are ways to make the program smaller. Some do nothing.
func (p *rndProgram) cuts() (out []func()) {
	out = append(out, func() { p.Inputs = max(1, p.Inputs-1) }, func() { p.Cap = max(1, p.Cap-1) }, func() { p.Depth = 0 }, func() { p.Misses = 0 }, func() { p.Supervisor = "" },
		func() { p.Ladder = nil }, func() { p.Siblings = "" }, func() { p.Multiple = "" }, func() { p.Rude = false }, func() { p.Tools = false },
		func() { p.Tokens = 0 }, func() { p.Accept = 0 })
	for i := range p.Edges {
		e := &p.Edges[i]
		out = append(out, func() { p.Edges = slices.Delete(p.Edges, i, i+1) }, func() { e.From = "" }, func() { e.To = "" }, func() { e.Quota = 0 },
			func() { e.Retry, e.Wait = 0, 0 }, func() { e.Retry = min(e.Retry, 1) }, func() { e.Wait = min(e.Wait, -1) })
	}
	for i := range p.Script {
		out = append(out, func() { p.Script = slices.Delete(p.Script, i, i+1) })
	}
	for i := range p.Agents {
		a := &p.Agents[i]
		if i > 0 {
			out = append(out, func() { p.remove(i) })
		}
		out = append(out, func() { a.Conversational = false }, func() { a.Room = 0 }, func() { a.Turns = 0 })
		for j := range a.Does {
			out = append(out, func() {
				if len(a.Does) > 1 {
					a.Does = slices.Delete(a.Does, j, j+1)
				}
			})
			out = append(out, a.Does[j].cuts()...)
		}
	}
	return out
}

func (p *rndProgram) remove(i int) {
	id := p.Agents[i].ID
	p.Agents = slices.Delete(p.Agents, i, i+1)
	if p.Supervisor == id {
		p.Supervisor = ""
	}
	p.Ladder = slices.DeleteFunc(p.Ladder, func(l string) bool { return l == id })
}

func (t *rndTurn) cuts() (out []func()) {
	out = append(out, func() { t.Mute = false }, func() { t.Takes = 0 }, func() { t.Tokens = 0 }, func() { t.Fail = "" })
	for i := range t.Ops {
		o := &t.Ops[i]
		out = append(out, func() { t.Ops = slices.Delete(t.Ops, i, i+1) }, func() { o.Task = "" }, func() { o.Priority = "" },
			func() { o.Budget = 0 }, func() { o.Most = 0 }, func() { o.Signals = nil }, func() { o.Count = 0 },
			func() { o.Join.Timeout = 0 }, func() { o.Join.Need = 0 }, func() { o.Join.Partial = false }, func() { o.Join.Resolve = "" },
			func() { o.Result = handoffs.Outcome{Status: handoffs.Completed} }, func() { o.Result.Outputs = nil })
		for j := range o.Branches {
			out = append(out, func() {
				o.Branches = slices.Delete(o.Branches, j, j+1)
				o.Join.Need = min(o.Join.Need, len(o.Branches))
			}, func() { o.Branches[j].Task = "" }, func() { o.Branches[j].Budget = 0 }, func() { o.Branches[j].Most = 0 })
		}
	}
	return out
}
