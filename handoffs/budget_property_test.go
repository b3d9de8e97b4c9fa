package handoffs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokenLedger keeps by itself what frames were granted and have spent.
type tokenLedger struct {
	caller  map[string]string
	granted map[string]int // 0: no limit
	spent   map[string]int // with what was called
	total   int
	over    int // by which turns cost more than they had
}

func newTokenLedger(top string, granted int) *tokenLedger {
	return &tokenLedger{map[string]string{top: ""}, map[string]int{top: granted}, map[string]int{}, 0, 0}
}

// add notes what a frame, or a handoff that waits, may spend of its caller's.
func (l *tokenLedger) add(id, caller string, o *Offer) {
	l.caller[id], l.granted[id] = caller, o.Frame.Limits.Tokens
}

func (l *tokenLedger) spend(frame string, n int) {
	l.total += n
	for f := frame; f != ""; f = l.caller[f] {
		l.spent[f] += n
	}
}

// owes is what may still be spent under an open frame by what was promised.
func (l *tokenLedger) owes(open []string, frame string) int {
	if g := l.granted[frame]; g != 0 {
		return max(0, max(0, g)-l.spent[frame])
	}
	return l.under(open, frame)
}

func (l *tokenLedger) under(open []string, frame string) int {
	n := 0
	for _, f := range open {
		if l.caller[f] == frame {
			n += l.owes(open, f)
		}
	}
	return n
}

// open are the frames, and the handoffs that wait by their records' ids.
func (x *ruleDrive) open() []string {
	var out []string
	for _, f := range x.d.Frames {
		out = append(out, f.ID)
	}
	for _, o := range x.d.Queue {
		out = append(out, o.Record.ID)
	}
	return out
}

// verify holds spent + promised against every limit.
func (l *tokenLedger) verify(r *require.Assertions, x *ruleDrive) {
	open := x.open()
	r.LessOrEqual(l.total+l.under(open, ""), x.p.Limits.Tokens+l.over, "the session")
	for _, f := range open {
		if g := l.granted[f]; g != 0 {
			r.LessOrEqual(l.spent[f]+l.under(open, f), max(0, g)+l.over, "frame %s of %d", f, g)
		}
	}
}

// budgetRun does random calls, spawns, transfers, turns and returns, some of
// them later. With tame
// agents no turn costs more than its frame has left.
func budgetRun(t *testing.T, seed uint64, tame bool) (refused, accepted int) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	r := require.New(t)
	agents := []string{"a", "b", "c", "d"}
	p := &Policy{Depth: -1, Limits: Limits{Tokens: 1000 + rnd.IntN(20_000)}, Edges: []Edge{{Name: "small", To: []string{"d"}, Limits: Limits{Tokens: 300}}, {Name: "rest"}}}
	x := newRuleDrive(p, agents...)
	l := newTokenLedger("f1", 0)
	for range 150 {
		f := &x.d.Frames[rnd.IntN(len(x.d.Frames))]
		switch op := rnd.IntN(10); {
		case op < 5:
			cmd := ruleRandomCommand(rnd, agents)
			if cmd.Budget = (Limits{}); rnd.IntN(3) > 0 {
				cmd.Budget.Tokens = 1 + rnd.IntN(4_000)
			}
			if x.leaving(f) || cmd.leaves() && !slices.Contains(x.idle(), f) {
				continue
			}
			left, bounded := p.tokensLeft(x.d, f, "")
			r.True(bounded)
			_, o := x.decide(f, cmd)
			if o == nil {
				refused++
				continue
			}
			accepted++
			r.Positive(left)
			r.LessOrEqual(o.Frame.Limits.Tokens, left, "nobody is promised more than there is")
			if rnd.IntN(4) == 0 {
				x.d.Queue = append(x.d.Queue, *o)
				l.add(o.Record.ID, o.Source, o)
			} else {
				l.add(x.begin(o), o.Frame.Caller, o)
			}
		case op < 7:
			if x.leaving(f) {
				continue
			}
			left, _ := p.tokensLeft(x.d, f, "")
			cost := rnd.IntN(500)
			if over := cost - max(0, left); over > 0 {
				if tame {
					cost = max(0, left)
				} else {
					l.over += over
				}
			}
			x.spend(f, cost)
			l.spend(f.ID, cost)
		case op < 8 && len(x.d.Queue) > 0:
			o := x.d.Queue[0]
			x.d.Queue = slices.Delete(x.d.Queue, 0, 1)
			if rnd.IntN(3) > 0 {
				l.add(x.begin(&o), o.Frame.Caller, &o)
			}
		default:
			if idle := x.idle(); len(idle) > 0 && idle[0].Caller != "" {
				x.back(idle[0])
			}
		}
		l.verify(r, x)
		r.Equal(l.total, x.d.Spent.Tokens)
		if tame {
			l.keepsPromises(r, x)
		}
	}
	return refused, accepted
}

// keepsPromises holds that a frame has all that it was promised, less what it
// and its callees have spent or may spend.
func (l *tokenLedger) keepsPromises(r *require.Assertions, x *ruleDrive) {
	open := x.open()
	for _, id := range open {
		if g := l.granted[id]; g != 0 && x.frame(id) != nil {
			left, bounded := remaining(x.d, x.frame(id))
			r.True(bounded)
			r.Equal(max(0, g)-l.spent[id]-l.under(open, id), left, "frame %s", id)
		}
	}
}

// Spent and promised tokens are never more than what was granted, at every step
// of any run; agents that cost more than they have exceed it by that alone.
func TestBudgetsAreNeverOverspent(t *testing.T) {
	for _, tame := range []bool{true, false} {
		refused, accepted := 0, 0
		for seed := range uint64(200) {
			a, b := budgetRun(t, seed, tame)
			refused, accepted = refused+a, accepted+b
		}
		require.Greater(t, refused, 500)
		require.Greater(t, accepted, 500)
	}
}
