package handoffs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// restless are agents that hand over whenever they get a turn, driven on a real
// Manager.
type restless struct {
	t    *testing.T
	r    *rand.Rand
	m    *Manager
	b    Batch
	log  []Entry
	made int // handoffs that began
}

func newRestless(t *testing.T, p *Policy, seed uint64) *restless {
	free := *p
	free.Endless = true
	m, err := NewManager(&free)
	require.NoError(t, err)
	return &restless{t: t, r: rand.New(rand.NewPCG(9, seed)), m: m, b: Batch{Session: "s", Now: noonOfRules()}}
}

// run gives turns out until nobody gets one, and reports whether that was so
// before a number of steps.
func (x *restless) run(steps int) bool {
	turns := []Turn{{Agent: x.m.p.Entry}}
	for i := range steps {
		for _, turn := range turns {
			x.act(turn)
		}
		x.b.Task, x.b.Log = fmt.Sprint("t", i), LogOf(x.log)
		res, err := x.m.Step(x.t.Context(), &x.b)
		require.NoError(x.t, err)
		x.log, x.b.Desk = append(x.log, res.Entries...), res.Desk
		for _, e := range res.Entries {
			if e.Event == "" && e.Attempt <= 1 && slices.Contains(e.Stages, Accepted) {
				x.made++
			}
		}
		if !res.Until.IsZero() && len(res.Turns) == 0 { // a rule's retry
			x.b.Now = res.Until
			turns = nil
			continue
		}
		if turns = res.Turns; len(turns) == 0 {
			return true
		}
	}
	return false
}

// act lets an agent do something in its turn.
func (x *restless) act(turn Turn) {
	n := 1
	if x.r.IntN(4) == 0 {
		n = 2
	}
	for range n {
		c := x.command()
		if c == nil {
			return
		}
		data, err := json.Marshal(c)
		require.NoError(x.t, err)
		x.b.Executions = append(x.b.Executions, Execution{
			ID: fmt.Sprint("x", len(x.b.Executions)), Tool: ToolName, Input: data, Success: true, Agent: turn.Agent, Frame: turn.Frame, Epoch: turn.Epoch,
		})
	}
}

func (x *restless) command() *Command {
	ids := x.m.p.everyone()
	someone := func() string { return ids[x.r.IntN(len(ids))] }
	c := NewCommand(someone(), Delegation, "go on")
	c.Task, c.Intent = "more", "more"
	switch x.r.IntN(12) {
	case 0:
		return nil
	case 1:
		c.Kind, c.Target = Return, ""
		c.Result = &Outcome{Status: Completed}
	case 2:
		c.Kind, c.Target, c.Actor = Return, "", BySystem
		c.Result = &Outcome{Status: Failed, Error: "boom", Code: CodeFailed}
	case 3:
		c.Kind, c.Target = Refuse, ""
	case 4:
		c.Kind = Escalate
	case 5, 6:
		c.Kind = Call
	case 7:
		c.Kind, c.Target = Spawn, ""
		for range 1 + x.r.IntN(3) {
			c.Branches = append(c.Branches, Branch{Target: someone(), Task: "part"})
		}
	default:
		c.Kind = Transfer
	}
	return &c
}

// TestManagerKeepsToBound: no run of a Manager makes more handoffs than Bound
// says, and where Verify has nothing to say each one ends.
func TestManagerKeepsToBound(t *testing.T) {
	seeds := 400
	if testing.Short() {
		seeds = 60
	}
	bounded, ended, reached := 0, 0, 0
	for seed := range seeds {
		p := simPolicy(rand.New(rand.NewPCG(7, uint64(seed))))
		if seed%4 == 0 {
			p.Edges, p.Limits.Handoffs = nil, 1+seed%7
		}
		if seed%5 == 0 {
			p.Ladder = []string{"b", "a"}
		}
		found := Verify(p)
		most, some, why := Bound(p)
		for try := range 4 {
			x := newRestless(t, p, uint64(seed*10+try))
			end := x.run(300)
			if some {
				bounded++
				require.LessOrEqual(t, x.made, most, "seed %d, %d: %v\n%s", seed, try, why, simText(p))
				if x.made == most {
					reached++
				}
			}
			if len(found) == 0 {
				ended++
				require.True(t, end, "seed %d, %d: %d handoffs and no end\n%s", seed, try, x.made, simText(p))
			}
		}
	}
	require.Greater(t, bounded, seeds/2)
	require.Greater(t, ended, seeds/2)
	require.Greater(t, reached, bounded/20, "the bound is hardly ever reached")
}
