package handoffs

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func agentsABC() *Registry { return MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}) }

// TestMesh: X-59.
func TestMesh(t *testing.T) {
	p := &Policy{Registry: agentsABC(), Entry: "a", Loops: []LoopRule{{Key: LoopTarget, Window: 5, Threshold: 2}, {Key: LoopCycle}, {Key: LoopUnique}, {Key: LoopDuplicate, Window: 3}}}
	found := Verify(p)
	require.Len(t, found, 1)
	require.Equal(t, DefectEndless, found[0].Code)
	require.False(t, found[0].Warning)
	require.Equal(t, []string{"a", "b", "c", "a"}, found[0].Path)
	require.Equal(t, "no decreasing measure on cycle a -> b -> c -> a (loop rules look at what came last, and may miss it)"+
		"; limit the handoffs, turns, tokens or time of the run, or give one of its edges a quota", found[0].Message)
	_, bounded, why := Bound(p)
	require.False(t, bounded)
	require.Equal(t, []string{"no rule bounds the handoffs"}, why)

	p.Limits.Handoffs = 12
	require.Empty(t, Verify(p))
	n, bounded, why := Bound(p)
	require.True(t, bounded)
	require.Equal(t, 12, n)
	require.Equal(t, []string{"at most 12 handoffs: the limit of the run", "so agents work 13 times"}, why)

	p.Registry = MustRegistry(Profile{ID: "a", Turns: 15}, Profile{ID: "b", Turns: 4}, Profile{ID: "c", Turns: 15})
	_, _, why = Bound(p)
	require.Equal(t, "so at most 13 × 15 turns: of as many stays of agents, each of at most 15", why[1])
}

func edge(from, to string, kinds ...Kind) Edge {
	return Edge{From: []string{from}, To: []string{to}, Kinds: kinds}
}

func quota(e Edge, n int) Edge { e.Limits.Handoffs = n; return e }

func TestVerify(t *testing.T) {
	ring := []Edge{edge("a", "b", Transfer), edge("b", "c", Transfer), edge("c", "a", Transfer)}
	for name, c := range map[string]struct {
		p    Policy
		want []string
	}{
		"ring":                     {Policy{Edges: ring}, []string{"a -> b -> c -> a"}},
		"line":                     {Policy{Edges: ring[:2]}, nil},
		"quota on one":             {Policy{Edges: []Edge{ring[0], quota(ring[1], 3), ring[2]}}, nil},
		"closed edge":              {Policy{Edges: []Edge{ring[0], quota(ring[1], -1), ring[2]}}, nil},
		"quota elsewhere":          {Policy{Edges: []Edge{ring[0], edge("b", "a", Transfer), quota(ring[1], 3), ring[2]}}, []string{"a -> b -> a"}},
		"turns":                    {Policy{Edges: ring, Limits: Limits{Turns: 9}}, nil},
		"tokens":                   {Policy{Edges: ring, Limits: Limits{Tokens: 9}}, nil},
		"time":                     {Policy{Edges: ring, Limits: Limits{Time: time.Hour}}, nil},
		"virtual time":             {Policy{Edges: ring, Limits: Limits{Time: time.Hour}, Virtual: noonOfRules()}, []string{"a -> b -> c -> a"}},
		"agents, depth":            {Policy{Edges: ring, Limits: Limits{Agents: 2, Depth: 1}}, []string{"a -> b -> c -> a"}},
		"class":                    {Policy{Edges: ring, Class: "x", Classes: map[string]Limits{"x": {Handoffs: 3}, "y": {Handoffs: -1}}}, nil},
		"class that is kept":       {Policy{Edges: ring, Class: "x", Classes: map[string]Limits{"x": {Handoffs: 3}, "y": {}}}, nil},
		"class without handoffs":   {Policy{Edges: ring, Class: "y", Classes: map[string]Limits{"x": {Handoffs: 3}, "y": {}}}, []string{"a -> b -> c -> a"}},
		"no class":                 {Policy{Edges: ring, Classes: map[string]Limits{"x": {Handoffs: 3}}}, []string{"a -> b -> c -> a"}},
		"counted apart":            {Policy{Edges: []Edge{ring[0], {From: []string{"b"}, To: []string{"a"}, Kinds: []Kind{Transfer}, Apart: true}}, Limits: Limits{Handoffs: 9}}, nil},
		"all apart":                {Policy{Edges: []Edge{{From: []string{"a", "b"}, To: []string{"b", "a"}, Apart: true, Kinds: []Kind{Transfer}}}, Limits: Limits{Handoffs: 9}}, []string{"a -> b -> a"}},
		"loop quota":               {Policy{Edges: ring, Loops: []LoopRule{{Key: LoopQuota, From: "b", To: "c"}}}, nil},
		"other quota":              {Policy{Edges: ring, Loops: []LoopRule{{Key: LoopQuota, From: "b", To: "a"}, {Key: LoopQuota, Kinds: []Kind{Call}}}}, []string{"a -> b -> c -> a"}},
		"whole run":                {Policy{Edges: ring, Loops: []LoopRule{{Key: LoopTarget}}}, nil},
		"window":                   {Policy{Edges: ring, Loops: []LoopRule{{Key: LoopEdge, Window: 100}}}, []string{"a -> b -> c -> a"}},
		"no such check":            {Policy{Edges: ring, Limits: Limits{Handoffs: 9}, Checks: []Check{{Name: "exists"}}}, []string{"a -> b -> c -> a"}},
		"own checks":               {Policy{Edges: ring, Limits: Limits{Handoffs: 9}, Checks: []Check{{Name: "limits"}}}, nil},
		"call":                     {Policy{Edges: []Edge{edge("a", "b", Call)}}, []string{"a -> b -> a"}},
		"call with depth":          {Policy{Edges: []Edge{edge("a", "b", Call)}, Depth: 1, Limits: Limits{Depth: 1}}, []string{"a -> b -> a"}},
		"call with quota":          {Policy{Edges: []Edge{quota(edge("a", "b", Call), 5)}}, nil},
		"any kind":                 {Policy{Edges: []Edge{edge("a", "b")}}, []string{"a -> b -> a"}},
		"itself":                   {Policy{Edges: []Edge{edge("a", "a", Transfer, Call)}}, nil},
		"spawn of itself":          {Policy{Edges: []Edge{edge("a", "a", Spawn)}}, []string{"a -> a -> a"}},
		"no depth":                 {Policy{Edges: []Edge{edge("a", "b", Call), edge("b", "a", Call)}, Depth: -1}, []string{"a -> b -> a"}},
		"rules":                    {Policy{Edges: []Edge{}, Rules: &Rules{List: []Rule{{Name: "1", From: []string{"a"}, To: "b"}, {Name: "2", To: "a"}}}}, []string{"a -> b -> a"}},
		"rule with limit":          {Policy{Edges: []Edge{}, Rules: &Rules{List: []Rule{{Name: "1", From: []string{"a"}, To: "b"}, {Name: "2", From: []string{"b"}, To: "a", Limits: Limits{Handoffs: 2}}}}}, nil},
		"rule of a retry":          {Policy{Edges: []Edge{}, Rules: &Rules{List: []Rule{{Name: "1", From: []string{"a"}, To: "b"}, {Name: "2", From: []string{"b"}, To: "a", Retry: &Retry{}}}}}, nil},
		"rules and anyone":         {Policy{Rules: &Rules{List: []Rule{{Name: "1", From: []string{"a"}, To: "b"}}}}, []string{"a -> b -> c -> a"}},
		"system":                   {Policy{Edges: []Edge{edge("a", "s", Transfer), edge("s", "a", Transfer)}}, nil},
		"system by its supervisor": {Policy{Edges: []Edge{edge("a", "s", Transfer), edge("s", "a", Transfer)}, Supervisor: "a"}, []string{"a -> s -> a"}},
		"rejected only":            {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Supervisor: "a", OnFailure: Action{Do: FailRun}}, []string{"warning a -> b -> a"}},
		"refuses":                  {Policy{Edges: []Edge{edge("a", "r", Transfer), edge("r", "a", Transfer)}}, nil},
		"unknown":                  {Policy{Edges: []Edge{edge("a", "z", Transfer), edge("z", "a", Transfer)}}, nil},
		"ladder":                   {Policy{Edges: []Edge{edge("b", "a", Transfer)}, Ladder: []string{"a", "b"}}, nil},
		"ladder, deep":             {Policy{Edges: []Edge{edge("b", "a", Call)}, Ladder: []string{"a", "b"}, Depth: -1}, []string{"a -> b -> a"}},
		"escalation to others":     {Policy{Edges: []Edge{edge("b", "a", Escalate), edge("a", "b", Escalate)}}, []string{"a -> b -> a"}},
		"misses":                   {Policy{Edges: ring[:1], Misses: -1}, []string{"warning "}},
		"supervisor":               {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Supervisor: "a"}, []string{"warning a -> b -> a"}},
		"supervisor of no":         {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Supervisor: "a", OnReject: map[Code]Action{"": {Do: FailRun}}, OnFailure: Action{Do: FailRun}}, nil},
		"routes":                   {Policy{Edges: []Edge{edge("a", "b", Transfer)}, OnReject: map[Code]Action{CodeLoop: {Do: RouteTo, Target: "c"}}}, nil},
		"routes on":                {Policy{Entry: "b", Edges: []Edge{edge("c", "b", Transfer)}, OnReject: map[Code]Action{CodeLoop: {Do: RouteTo, Target: "c"}}}, []string{"warning b -> c -> b"}},
		"rejected in turn":         {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Limits: Limits{Handoffs: 3}, OnReject: map[Code]Action{CodeLoop: {Do: RouteTo, Target: "a"}, CodeSelf: {Do: RouteTo, Target: "b"}}}, nil},
		"rejected, apart":          {Policy{Edges: []Edge{{From: []string{"a"}, To: []string{"b"}, Apart: true, Kinds: []Kind{Transfer}}}, Limits: Limits{Handoffs: 3}, Supervisor: "a"}, []string{"warning a -> b -> a"}},
		"never reached":            {Policy{Entry: "c", Edges: []Edge{edge("a", "b", Transfer), edge("b", "a", Transfer)}}, nil},
		"transfers only":           {Policy{Edges: []Edge{edge("a", "b")}, Limits: Limits{Depth: -1}}, nil},
		"failure": {Policy{Edges: []Edge{edge("a", "b", Transfer)}, OnFailure: Action{Do: RouteTo, Target: "a"}, OnReject: map[Code]Action{"": {Do: FailRun}}},
			[]string{"warning a -> b -> a"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.Registry = MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "s", System: true}, Profile{ID: "r", Refuses: true})
			if name == "rules and anyone" {
				c.p.Registry = agentsABC()
			}
			var got []string
			for _, f := range Verify(&c.p) {
				text := way(f.Path)
				if f.Warning {
					text = "warning " + text
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
		})
	}
	require.Nil(t, Verify(nil))
}

func noonOfRules() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// TestVerifyTurnsOfCaller: the caller's turns bound its calls, as long as their
// depth is bounded too.
func TestVerifyTurnsOfCaller(t *testing.T) {
	p := &Policy{Edges: []Edge{edge("a", "b", Call)}, Registry: MustRegistry(Profile{ID: "a", Turns: 5}, Profile{ID: "b", Turns: 5})}
	require.Empty(t, Verify(p))
	p.Edges = append(p.Edges, edge("b", "a", Call))
	require.Empty(t, Verify(p))
	p.Depth = -1
	require.Equal(t, []string{"a", "b", "a"}, Verify(p)[0].Path)
	_, bounded, _ := Bound(p)
	require.False(t, bounded)
}

func TestVerifyNamesFew(t *testing.T) {
	p := &Policy{Registry: MustRegistry(), Loops: []LoopRule{{Key: LoopCycle}}}
	for i := range 30 {
		p.Registry = p.Registry.With(Profile{ID: fmt.Sprintf("a%02d", i)})
	}
	found := Verify(p)
	require.Len(t, found, 1)
	require.Len(t, found[0].Path, 13)
	require.Contains(t, found[0].Message, "a00 -> a01 -> a02 -> a03 -> a04 -> a05 -> a06 -> a07 -> a08 -> a09 -> … -> a00")
}

func TestBound(t *testing.T) {
	for name, c := range map[string]struct {
		p    Policy
		n    int
		some bool
		why  []string
	}{
		"line":         {Policy{Edges: []Edge{edge("a", "b", Transfer), edge("b", "c", Transfer)}}, 5, true, []string{"at most 5 handoffs: the longest way through the agents, with 3 refusals", "so agents work 6 times"}},
		"any refusals": {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Misses: -1}, 0, false, []string{"no rule bounds the handoffs"}},
		"one refusal":  {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Misses: 1}, 2, true, []string{"at most 2 handoffs: the longest way through the agents, with 1 refusal", "so agents work 3 times"}},
		"none":         {Policy{Edges: []Edge{}}, 0, true, []string{"at most 0 handoffs: there is no way from agent to agent", "so agents work 1 time"}},
		"cap of a line": {Policy{Edges: []Edge{edge("a", "b", Transfer), edge("b", "c", Transfer)}, Limits: Limits{Handoffs: 9}}, 5, true,
			[]string{"at most 5 handoffs: the longest way through the agents, with 3 refusals", "at most 9 handoffs: the limit of the run", "so agents work 6 times"}},
		"class": {Policy{Limits: Limits{Handoffs: 9}, Class: "m", Classes: map[string]Limits{"m": {Handoffs: 2}, "c": {Handoffs: 5}}}, 2, true,
			[]string{"at most 2 handoffs: the limit of class m", "at most 9 handoffs: the limit of the run", "so agents work 3 times"}},
		"least class": {Policy{Limits: Limits{Handoffs: 3}, Class: "c", Classes: map[string]Limits{"m": {Handoffs: 2}, "c": {Handoffs: 5}}}, 3, true,
			[]string{"at most 3 handoffs: the limit of the run", "at most 5 handoffs: the limit of class c", "so agents work 4 times"}},
		"class without":  {Policy{Class: "c", Classes: map[string]Limits{"m": {Handoffs: 2}, "c": {}}}, 0, false, []string{"no rule bounds the handoffs"}},
		"nothing at all": {Policy{Limits: Limits{Handoffs: -1}}, 0, true, []string{"at most 0 handoffs: the limit of the run", "so agents work 1 time"}},
		"quota": {Policy{Edges: []Edge{edge("a", "b", Transfer), quota(edge("b", "a", Transfer), 2)}}, 14, true,
			[]string{"at most 14 handoffs: the quota of edge b -> a (2), and at most 4 others before and behind each of them, with 3 refusals", "so agents work 15 times"}},
		"quotas": {Policy{Edges: []Edge{quota(edge("a", "b"), 4), quota(edge("b", "a"), 2)}}, 6, true,
			[]string{"at most 6 handoffs: the quota of edge a -> b (4), the quota of edge b -> a (2)", "so agents work 7 times"}},
		"apart": {Policy{Edges: []Edge{edge("a", "b"), {Name: "loop", From: []string{"b"}, To: []string{"a"}, Apart: true, Limits: Limits{Handoffs: 2}}}, Limits: Limits{Handoffs: 5}}, 7, true,
			[]string{"at most 7 handoffs: the limit of the run (5), the quota of edge loop (2)", "so agents work 8 times"}},
		"loop rule": {Policy{Edges: []Edge{edge("a", "b")}, Loops: []LoopRule{{Name: "q", Key: LoopQuota, Threshold: 3}}}, 3, true,
			[]string{"at most 3 handoffs: loop rule q for a -> b", "so agents work 4 times"}},
		"ladder":   {Policy{Edges: []Edge{edge("a", "b", Transfer)}, Ladder: []string{"c", "b"}}, 8, true, []string{"at most 8 handoffs: the longest way through the agents, with 3 refusals", "so agents work 9 times"}},
		"turns":    {Policy{Limits: Limits{Turns: 5}}, 0, false, []string{"no rule counts the handoffs; a run ends by its turns"}},
		"tokens":   {Policy{Limits: Limits{Tokens: 5}}, 0, false, []string{"no rule counts the handoffs; a run ends by its tokens"}},
		"no check": {Policy{Limits: Limits{Handoffs: 5}, Checks: []Check{{Name: "self"}}}, 0, false, []string{"no rule bounds the handoffs"}},
		"very many": {Policy{Edges: []Edge{edge("a", "b", Transfer), quota(edge("b", "a", Transfer), math.MaxInt-1)}}, math.MaxInt, true,
			[]string{fmt.Sprintf("at most %d handoffs: the quota of edge b -> a (%d), and at most 4 others before and behind each of them, with 3 refusals", math.MaxInt, math.MaxInt-1), fmt.Sprintf("so agents work %d times", math.MaxInt)}},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.Registry = agentsABC()
			n, some, why := Bound(&c.p)
			require.Equal(t, c.n, n)
			require.Equal(t, c.some, some)
			require.Equal(t, c.why, why)
		})
	}
	n, some, why := Bound(nil)
	require.Zero(t, n)
	require.False(t, some)
	require.Empty(t, why)
}

func TestBoundOfJetvision(t *testing.T) {
	n, some, why := Bound(mended())
	require.True(t, some)
	require.Equal(t, 20, n)
	require.Equal(t, "at most 20 handoffs: the limit of the run", why[0])
}
