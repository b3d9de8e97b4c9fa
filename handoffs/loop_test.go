package handoffs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// loopCase is a handoff "a>b#h" behind a log of others.
func loopCase(rule LoopRule, next string, hops ...string) *Case {
	e := ruleLog(next).At(0)
	p := &Policy{Registry: MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "d"}, Profile{ID: "bc"}, Profile{ID: "rag"}), Loops: []LoopRule{rule}}
	c := ruleCase(p, e.To)
	c.From, c.Hash, c.Command.Kind, c.Log = e.From, e.Record.Hash, e.Kind, ruleLog(hops...)
	return c
}

func TestLoopRules(t *testing.T) {
	s0 := LoopRule{Key: LoopTarget, Window: 5, Threshold: 2}
	s2 := LoopRule{Key: LoopDuplicate, Window: 3, Threshold: 1}
	edge := LoopRule{Key: LoopEdge, Window: 4, Threshold: 2}
	returns := LoopRule{Key: LoopTarget, Threshold: 2, Kinds: []Kind{Transfer, Return}}
	retries := LoopRule{Key: LoopEdge, Threshold: 3, Retries: true}
	tests := []struct {
		name string
		rule LoopRule
		log  string // handoffs, oldest first
		next string
		want Code
	}{
		{"X-05 third rag in the last five", s0, "bc>rag rag>bc bc>rag rag>bc bc>x", "bc>rag", CodeLoop},
		{"X-05 one rag", s0, "a>b b>bc bc>rag rag>bc bc>x", "bc>rag", ""},
		{"X-05 both but one are too old", s0, "bc>rag a>b b>a a>b bc>rag rag>bc", "bc>rag", ""},
		{"S0-40 an empty log", s0, "", "bc>rag", ""},
		{"S0-40 stops a ping-pong after four", s0, "a>b b>a a>b b>a", "a>b", CodeLoop},
		{"S0-40 goes on after three", s0, "a>b b>a a>b", "b>a", ""},
		{"what was rejected does not count", s0, "bc!rag bc!rag bc!rag", "bc>rag", ""},
		{"nor fills the window", s0, "bc>rag bc>rag bc!x bc!x bc!x . .", "bc>rag", CodeLoop},
		{"X-05 returns do not count", s0, "bc:a bc<a bc:b bc<b", "a>bc", ""},
		{"C02 returns count on request", returns, "bc:a bc<a bc:b bc<b", "a>bc", CodeLoop},
		{"other kinds do not count then", returns, "bc:a bc:a", "bc>a", ""},
		{"other kinds are not rejected then", returns, "bc>a bc>a", "bc:a", ""},
		{"retries do not count", LoopRule{Key: LoopEdge, Threshold: 3}, "a>b a+b a+b", "a>b", ""},
		{"retries count on request", retries, "a>b a+b a+b", "a>b", CodeLoop},
		{"the zero rule", LoopRule{}, "a>b", "c>b", CodeLoop},
		{"without a window", LoopRule{Threshold: 2}, "a>b a>c a>c a>c a>c a>b", "c>b", CodeLoop},

		{"the same edge", edge, "a>b b>a a>b b>a", "a>b", CodeLoop},
		{"another edge to it", edge, "a>b b>a a>b b>a", "c>b", ""},
		{"an edge that is not meant", LoopRule{Key: LoopEdge, From: "a", To: "b"}, "c>b", "c>b", ""},
		{"an edge that is meant", LoopRule{Key: LoopEdge, From: "a", To: "b"}, "a>b", "a>b", CodeLoop},
		{"another target than is meant", LoopRule{To: "c"}, "a>b", "a>b", ""},

		{"X-22 the same context", s2, "a>b#h b>a#k", "a>b#h", CodeDeadlock},
		{"X-22 another context", s2, "a>b#h b>a#k", "a>b#i", ""},
		{"X-22 another source", s2, "a>b#h b>a#k", "c>b#h", ""},
		{"X-22 three back", s2, "a>b#h b>c c>a", "a>b#h", CodeDeadlock},
		{"X-22 four back", s2, "a>b#h b>c c>d d>a", "a>b#h", ""},
		{"contexts that are not known", s2, "a>b b>a", "a>b", ""},

		{"a rule of an odd key", LoopRule{Key: "odd"}, "", "a>b", CodeLoop},
		{"a code of its own", LoopRule{Code: "again"}, "a>b", "a>b", "again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := loopCase(tt.rule, tt.next, strings.Fields(tt.log)...)
			if tt.want == "" {
				require.Empty(t, ruleCodesOf(c, "loop"))
				return
			}
			require.Equal(t, ruleCodes(tt.want), ruleCodesOf(c, "loop"))
		})
	}
}

func TestLoopFailure(t *testing.T) {
	act := Action{Do: RouteTo, Target: "supervisor"}
	c := loopCase(LoopRule{Name: "two of five", Window: 5, Threshold: 2, Action: act}, "a>b", "a>b", "a>b", "a>b")
	c.Policy.Texts = Texts{CodeLoop: "{source} to {target}: {value} of {limit}"}
	c.Policy.Loops = append(c.Policy.Loops, LoopRule{Key: LoopEdge})
	fs := checkLoop(c)
	require.Equal(t, []Failure{
		{Code: CodeLoop, Message: "a to b: 2 of 2", Rule: "two of five", Action: act},
		{Code: CodeLoop, Message: "a to b: 1 of 1", Rule: "edge"},
	}, fs)
}

// A call that returns may be made as often as one likes, if returns do
// not count; a call counts as such.
func TestLoopCallsAndReturnsX05(t *testing.T) {
	rule := LoopRule{Key: LoopTarget, Window: 5, Threshold: 2, Kinds: []Kind{Transfer}}
	log := ruleHops(6, "bc:rag", "bc<rag")
	for n := 0; n <= len(log); n += 2 {
		require.Empty(t, ruleCodesOf(loopCase(rule, "bc:rag", log[:n]...), "loop"))
		require.Empty(t, ruleCodesOf(loopCase(rule, "rag>bc", log[:n]...), "loop"), "returns do not count")
	}
	rule.Kinds = nil
	c := loopCase(rule, "rag>bc", log...)
	require.Empty(t, ruleCodesOf(c, "loop"))
	c.Policy.CountReturns = true
	require.Equal(t, ruleCodes(CodeLoop), ruleCodesOf(c, "loop"))
}

// A handoff that had to wait has its hash in an older entry than that in which
// it began.
func TestLoopDuplicateOfOneThatWaited(t *testing.T) {
	asked := Entry{Handoff: "h", From: "a", To: "b", Kind: Transfer, Stages: []Status{Requested, Validated, AwaitingApproval}, Record: &Record{ID: "h", Hash: "x"}}
	began := Entry{Handoff: "h", From: "a", To: "b", Kind: Transfer, Stages: []Status{Accepted, Running}}
	other := *ruleLog("b>a#y").At(0)
	c := loopCase(LoopRule{Key: LoopDuplicate, Window: 3}, "a>b#x")
	c.Log = LogOf([]Entry{asked, other, began, other})
	require.Equal(t, ruleCodes(CodeDeadlock), ruleCodesOf(c, "loop"))
	c.Log = LogOf([]Entry{asked, other})
	require.Empty(t, ruleCodesOf(c, "loop"), "it has not begun")
	c.Log = LogOf([]Entry{began, other})
	require.Empty(t, ruleCodesOf(c, "loop"), "its context is not known")
}

// The entry in which a later attempt begins is not a handoff more.
func TestLoopRetryThatWaited(t *testing.T) {
	first := *ruleLog("a>b").At(0)
	again := first
	again.Record, again.Attempt, again.Stages = nil, 2, []Status{Accepted, Running}
	c := loopCase(LoopRule{Key: LoopEdge, Threshold: 2}, "a>b")
	c.Log = LogOf([]Entry{first, again})
	require.Empty(t, ruleCodesOf(c, "loop"))
	c.Policy.Loops[0].Retries = true
	c.Log = LogOf([]Entry{first, *ruleLog("a+b").At(0), again})
	require.Equal(t, ruleCodes(CodeLoop), ruleCodesOf(c, "loop"))
	c.Policy.Loops[0].Threshold = 3
	require.Empty(t, ruleCodesOf(c, "loop"), "an attempt is counted when it is scheduled")
}

// A cycle of any length is stopped when it completes its second
// period, and not before.
func TestLoopCycleX22(t *testing.T) {
	for length := 1; length <= 8; length++ {
		for threshold := 2; threshold <= 4; threshold++ {
			rule := LoopRule{Key: LoopCycle, Threshold: threshold}
			hops := []string{"a>z", "z>x"} // before the cycle
			for n := 1; ; n++ {
				at := (n - 1) % length
				next := fmt.Sprintf("n%d>n%d", at, (at+1)%length)
				c := loopCase(rule, next, hops...)
				c.Target = &Profile{ID: next[strings.Index(next, ">")+1:]}
				if n == length*threshold {
					require.Equal(t, ruleCodes(CodeLoop), ruleCodesOf(c, "loop"), "%d hops of a cycle of %d", n, length)
					break
				}
				require.Empty(t, ruleCodesOf(c, "loop"), "%d hops of a cycle of %d", n, length)
				hops = append(hops, next)
			}
		}
	}
}

func TestLoopCycleBounds(t *testing.T) {
	tests := []struct {
		name string
		rule LoopRule
		log  string
		next string
		want bool
	}{
		{"X-22 three agents", LoopRule{Key: LoopCycle}, "a>b b>c c>a a>b b>c", "c>a", true},
		{"X-22 one hop less", LoopRule{Key: LoopCycle}, "a>b b>c c>a a>b", "b>c", false},
		{"longer than the longest", LoopRule{Key: LoopCycle, Longest: 2}, "a>b b>c c>a a>b b>c", "c>a", false},
		{"a window that is large enough", LoopRule{Key: LoopCycle, Window: 5}, "a>b b>c c>a a>b b>c", "c>a", true},
		{"a window that is too small", LoopRule{Key: LoopCycle, Window: 4}, "a>b b>c c>a a>b b>c", "c>a", false},
		{"broken in between", LoopRule{Key: LoopCycle}, "a>b b>c c>d a>b b>c", "c>a", false},
		{"the same agents another way round", LoopRule{Key: LoopCycle}, "a>b b>a b>c c>b a>b", "b>a", false},
		{"two calls of one agent", LoopRule{Key: LoopCycle, Threshold: 3}, "a:b b<a a:b b<a", "a:b", true},
		{"a long period of many", LoopRule{Key: LoopCycle, Threshold: 5, Longest: 20}, strings.Join(slices.Repeat([]string{"a>b b>a a>c c>d d>a"}, 5), " ")[:len("a>b b>a a>c c>d d>a ")*5-5], "d>a", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, len(ruleCodesOf(loopCase(tt.rule, tt.next, strings.Fields(tt.log)...), "loop")) > 0)
		})
	}
}

// The window of eight with three agents stops two agents behind their seventh
// handoff, and three agents never.
func TestLoopUnique(t *testing.T) {
	rule := LoopRule{Key: LoopUnique}
	two := ruleHops(10, "a>b", "b>a")
	for n := range 10 {
		c := loopCase(rule, two[n], two[:n]...)
		require.Equal(t, n >= 7, len(ruleCodesOf(c, "loop")) > 0, n)
	}
	require.Empty(t, ruleCodesOf(loopCase(rule, "b>c", two[:7]...), "loop"), "the one that leaves is welcome")
	three := ruleHops(10, "a>b", "b>c", "c>a")
	for n := range three {
		require.Empty(t, ruleCodesOf(loopCase(rule, three[n], three[:n]...), "loop"), n)
	}
	small := LoopRule{Key: LoopUnique, Window: 3, Threshold: 2}
	require.Empty(t, ruleCodesOf(loopCase(small, "a>b", "a>b"), "loop"), "the window is not full")
	require.Equal(t, ruleCodes(CodeLoop), ruleCodesOf(loopCase(small, "a>b", "c>b", "a>b"), "loop"))
}

// A quota is read off the desk, and holds for each edge by itself.
func TestLoopQuota(t *testing.T) {
	c := loopCase(LoopRule{Key: LoopQuota, Threshold: 2}, "a>b")
	for range 2 {
		require.Empty(t, ruleCodesOf(c, "loop"))
		c.Desk.countHandoff(nil, "a", "b")
	}
	require.Equal(t, ruleCodes(CodeQuota), ruleCodesOf(c, "loop"))
	c.From = "c"
	require.Empty(t, ruleCodesOf(c, "loop"))

	c = loopCase(LoopRule{Key: LoopQuota}, "a>b")
	c.Desk.Queue = []Offer{{Record: &Record{From: "a"}, To: "b", Attempt: 1}}
	require.Equal(t, ruleCodes(CodeQuota), ruleCodesOf(c, "loop"), "one that waits holds its place")
}

func TestLoopProgress(t *testing.T) {
	entries := []Entry{}
	for i, digest := range []string{"old", "now", "now"} {
		e := *ruleLog("a>b").At(0)
		e.Handoff, e.Detail = fmt.Sprint(i), map[string]any{detailDigest: digest}
		entries = append(entries, e, Entry{Event: EventTask})
	}
	c := loopCase(LoopRule{Key: LoopProgress, Threshold: 2}, "b>a")
	c.Log, c.Digest = LogOf(entries), "now"
	require.True(t, c.Policy.wantsDigest())
	require.Equal(t, ruleCodes(CodeNoProgress), ruleCodesOf(c, "loop"))
	c.Policy.Loops[0].Threshold = 0
	require.Empty(t, ruleCodesOf(c, "loop"), "three is the usual bound")
	c.Policy.Loops[0].Threshold = 1
	c.Digest = "new"
	require.Empty(t, ruleCodesOf(c, "loop"))
	c.Digest = ""
	require.Empty(t, ruleCodesOf(c, "loop"), "it is not known")
	require.False(t, (&Policy{Loops: []LoopRule{{}}}).wantsDigest())
}

// What a rule reads depends on its window, not on the log's length.
func TestLoopReadsItsWindow(t *testing.T) {
	all := ruleHops(200, "a>b#1", ".", "b>c#2", "c!a", "c>a#3", ".")
	rules := map[string]LoopRule{
		"target":    {Window: 5, Threshold: 9},
		"edge":      {Key: LoopEdge, Window: 5, Threshold: 9},
		"duplicate": {Key: LoopDuplicate, Window: 5},
		"cycle":     {Key: LoopCycle, Longest: 2},
		"unique":    {Key: LoopUnique, Window: 6, Threshold: 9},
		"progress":  {Key: LoopProgress, Threshold: 5},
		"quota":     {Key: LoopQuota},
	}
	for name, r := range rules {
		c := loopCase(r, "a>b#9", all...)
		c.Digest = "x"
		reads, log := 0, c.Log
		c.Log = Log{n: log.n, at: func(i int) *Entry { reads++; return log.At(i) }}
		checkLoop(c)
		require.LessOrEqual(t, reads, 14, name)
	}
}
