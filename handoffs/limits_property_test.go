package handoffs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ruleTally counts what has begun, in its own way: handoffs with the frames they
// were made for.
type ruleTally struct {
	made   []ruleTallied
	caller map[string]string // by frame
	limits map[string]Limits
	begun  map[string]time.Time
}

type ruleTallied struct {
	from, to, edge string
	apart          bool
	depth          int
	frames         []string // of the source, and those that waited for it
}

// begun notes that an offer has begun as a frame.
func (x *ruleDrive) begun(t *ruleTally, o *Offer, id string) {
	h := ruleTallied{from: o.Record.From, to: o.To, edge: o.Edge, apart: x.p.apart(o.Edge), depth: o.Frame.Depth}
	for f := o.Source; f != ""; f = t.caller[f] {
		h.frames = append(h.frames, f)
	}
	t.made = append(t.made, h)
	t.caller[id], t.limits[id], t.begun[id] = o.Frame.Caller, o.Frame.Limits, x.now
}

// verify holds everything that has begun against the limits.
func (t *ruleTally) verify(r *require.Assertions, p *Policy, class string) {
	run, agents := 0, []string{}
	edges, frames := map[string]int{}, map[string]int{}
	for _, h := range t.made {
		edges[h.edge]++
		agents = append(agents, h.from, h.to)
		r.LessOrEqual(h.depth, max(0, p.Limits.Depth))
		if h.apart {
			continue
		}
		run++
		for _, f := range h.frames {
			frames[f]++
		}
	}
	slices.Sort(agents)
	agents = slices.Compact(agents)
	for _, l := range []Limits{p.Limits, p.Classes[class]} {
		r.True(l.Handoffs == 0 || run <= max(0, l.Handoffs), "%d handoffs of %d", run, l.Handoffs)
		r.True(l.Agents == 0 || len(agents) <= max(1, l.Agents) || run == 0 && len(t.made) == 0, "%v of %d agents", agents, l.Agents)
	}
	r.True(p.Limits.Turns == 0 || len(t.made) <= max(0, p.Limits.Turns), "%d turns of %d", len(t.made), p.Limits.Turns)
	for _, e := range p.Edges {
		r.True(e.Limits.Handoffs == 0 || edges[e.Name] <= max(0, e.Limits.Handoffs), "edge %s: %d", e.Name, edges[e.Name])
	}
	for f, n := range frames {
		l := t.limits[f].Handoffs
		r.True(l == 0 || n <= max(0, l), "frame %s made %d of %d handoffs", f, n, l)
	}
}

// ruleRandomLimit is none, nothing at all, or some.
func ruleRandomLimit(rnd *rand.Rand, most int) int {
	switch n := rnd.IntN(24); {
	case n < 5:
		return 0
	case n < 6:
		return -1
	}
	return 1 + rnd.IntN(most)
}

func ruleRandomPolicy(rnd *rand.Rand, agents []string) *Policy {
	p := &Policy{Depth: -1, Class: "x", Classes: map[string]Limits{}}
	p.Limits = Limits{Handoffs: ruleRandomLimit(rnd, 30), Agents: ruleRandomLimit(rnd, 2*len(agents)), Depth: 1 + rnd.IntN(4), Turns: ruleRandomLimit(rnd, 60), Time: time.Duration(ruleRandomLimit(rnd, 120)) * time.Second}
	p.Classes["x"] = Limits{Handoffs: ruleRandomLimit(rnd, 30), Agents: ruleRandomLimit(rnd, 2*len(agents))}
	for i := range rnd.IntN(4) {
		p.Edges = append(p.Edges, Edge{Name: fmt.Sprint("e", i), From: []string{agents[rnd.IntN(len(agents))]}, Apart: rnd.IntN(2) == 0, Limits: Limits{Handoffs: 1 + rnd.IntN(6)}})
	}
	p.Edges = append(p.Edges, Edge{Name: "rest"})
	return p
}

// ruleRandomCommand asks for anything, with or without limits of its own.
func ruleRandomCommand(rnd *rand.Rand, agents []string) Command {
	c := NewCommand(agents[rnd.IntN(len(agents))], Delegation, "")
	c.Kind = []Kind{Transfer, Call, Call, Spawn, Escalate}[rnd.IntN(5)]
	c.Budget = Limits{Handoffs: ruleRandomLimit(rnd, 8), Depth: ruleRandomLimit(rnd, 3), Time: time.Duration(ruleRandomLimit(rnd, 20)) * time.Second}
	return c
}

// leaves reports whether the source's frame ends with the handoff.
func (c *Command) leaves() bool { return c.kind() == Transfer || c.kind() == Escalate }

// leaving reports whether a frame only waits to hand over.
func (x *ruleDrive) leaving(f *Frame) bool {
	return slices.ContainsFunc(x.d.Queue, func(o Offer) bool {
		return o.Source == f.ID && (o.Record.Kind == Transfer || o.Record.Kind == Escalate)
	})
}

// idle are the frames that nobody works for.
func (x *ruleDrive) idle() []*Frame {
	var out []*Frame
	for i := range x.d.Frames {
		f := &x.d.Frames[i]
		busy := slices.ContainsFunc(x.d.Frames, func(o Frame) bool { return o.Caller == f.ID }) ||
			slices.ContainsFunc(x.d.Queue, func(o Offer) bool { return o.Source == f.ID })
		if !busy {
			out = append(out, f)
		}
	}
	return out
}

// No limit is exceeded, whatever is handed off, waits, begins, is dropped or
// returns in whatever order.
func TestLimitsAreNeverExceeded(t *testing.T) {
	agents := []string{"a", "b", "c", "d", "e"}
	total := 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		x := newRuleDrive(ruleRandomPolicy(rnd, agents), agents...)
		y := &ruleTally{caller: map[string]string{}, limits: map[string]Limits{}, begun: map[string]time.Time{}}
		r := require.New(t)
		for range 120 {
			switch op := rnd.IntN(10); {
			case op < 6:
				f := &x.d.Frames[rnd.IntN(len(x.d.Frames))]
				cmd := ruleRandomCommand(rnd, agents)
				if x.leaving(f) || cmd.leaves() && !slices.Contains(x.idle(), f) {
					continue
				}
				d, o := x.decide(f, cmd)
				if o == nil {
					r.NotEmpty(d.Failures[0].Message)
					continue
				}
				x.verifyTime(r, y, o)
				if rnd.IntN(3) == 0 {
					x.d.Queue = append(x.d.Queue, *o)
				} else {
					x.begun(y, o, x.begin(o))
				}
			case op < 8 && len(x.d.Queue) > 0:
				i := rnd.IntN(len(x.d.Queue))
				o := x.d.Queue[i]
				x.d.Queue = slices.Delete(x.d.Queue, i, i+1)
				if rnd.IntN(3) > 0 {
					x.begun(y, &o, x.begin(&o))
				}
			case op < 9:
				if f := x.idle(); len(f) > 0 && f[0].Caller != "" {
					x.back(f[0])
				}
			default:
				x.now = x.now.Add(time.Duration(rnd.IntN(4)) * time.Second)
			}
			y.verify(r, x.p, "x")
		}
		total += len(y.made)
	}
	require.Greater(t, total, 1200, "enough was let through")
}

// verifyTime holds an offer that was allowed against the deadlines.
func (x *ruleDrive) verifyTime(r *require.Assertions, t *ruleTally, o *Offer) {
	l := x.p.Limits.Time
	r.True(l == 0 || l > 0 && (x.d.Begun.IsZero() || x.now.Sub(x.d.Begun) < l))
	for f := o.Source; f != ""; f = t.caller[f] {
		l := t.limits[f].Time
		r.True(l == 0 || l > 0 && x.now.Sub(t.begun[f]) < l)
	}
}
