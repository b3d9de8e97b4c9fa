package handoffs

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCheckSyntax(t *testing.T) {
	set := func(f func(*Command)) func(*Case) { return func(c *Case) { f(c.Command) } }
	tests := []struct {
		name   string
		change func(*Case)
		want   []Code
	}{
		{"transfer", nil, nil},
		{"call", set(func(c *Command) { c.Kind = Call }), nil},
		{"without a target", set(func(c *Command) { c.Target = "" }), ruleCodes(CodeSyntax)},
		{"call without a target", set(func(c *Command) { c.Target, c.Kind = "", Call }), ruleCodes(CodeSyntax)},
		{"with a capability instead", set(func(c *Command) { c.Target, c.Capability = "", "x" }), nil},
		{"escalate", set(func(c *Command) { c.Target, c.Kind = "", Escalate }), nil},
		{"spawn without branches", set(func(c *Command) { c.Target, c.Kind = "", Spawn }), ruleCodes(CodeSyntax)},
		{"spawn", set(func(c *Command) {
			c.Target, c.Kind, c.Branches = "", Spawn, []Branch{{Target: "rag"}, {Capability: "erp"}}
		}), nil},
		{"a branch of a spawn", set(func(c *Command) { c.Kind, c.Join.Need = Spawn, 2 }), nil},
		{"a branch to nobody", set(func(c *Command) { c.Kind, c.Branches = Spawn, []Branch{{Name: "x"}} }), ruleCodes(CodeSyntax)},
		{"join of too many", set(func(c *Command) { c.Kind, c.Branches, c.Join.Need = Spawn, []Branch{{Target: "rag"}}, 2 }), ruleCodes(CodeSyntax)},
		{"join of less than none", set(func(c *Command) { c.Kind, c.Join.Need = Spawn, -1 }), ruleCodes(CodeSyntax)},
		{"join by an unknown way", set(func(c *Command) { c.Kind, c.Join.Resolve = Spawn, "dice" }), ruleCodes(CodeSyntax)},
		{"join by nobody", set(func(c *Command) { c.Kind, c.Join.Resolve = Spawn, "agent:" }), ruleCodes(CodeSyntax)},
		{"join by an agent", set(func(c *Command) { c.Kind, c.Join.Resolve = Spawn, "agent:rag" }), nil},
		{"resume", set(func(c *Command) { c.Target, c.Kind, c.Token = "", Resume, "t" }), nil},
		{"resume of what was set aside last", set(func(c *Command) { c.Target, c.Kind = "", Resume }), nil},
		{"return", set(func(c *Command) { c.Target, c.Kind = "", Return }), nil},
		{"refuse", set(func(c *Command) { c.Target, c.Kind = "", Refuse }), nil},
		{"report", set(func(c *Command) { c.Target, c.Kind = "", Report }), nil},
		{"wait for nothing", set(func(c *Command) { c.Kind = Wait }), ruleCodes(CodeSyntax)},
		{"wait for ever", set(func(c *Command) { c.Kind, c.Until = Wait, &Until{} }), ruleCodes(CodeSyntax)},
		{"wait for a signal", set(func(c *Command) { c.Kind, c.Until = Wait, &Until{Signals: []string{"s"}} }), nil},
		{"wait for a time", set(func(c *Command) { c.Kind, c.Until = Wait, &Until{For: time.Second} }), nil},
		{"unknown kind", set(func(c *Command) { c.Kind = "teleport" }), ruleCodes(CodeSyntax)},
		{"another type", set(func(c *Command) { c.Type = "handout" }), ruleCodes(CodeSyntax)},
		{"no type", set(func(c *Command) { c.Type = "" }), nil},
		{"S3-37 urgent", set(func(c *Command) { c.Priority = Urgent }), nil},
		{"S3-37 unknown priority", set(func(c *Command) { c.Priority = "asap" }), ruleCodes(CodeSyntax)},
		{"unknown actor", set(func(c *Command) { c.Actor = "god" }), ruleCodes(CodeSyntax)},
		{"two things", set(func(c *Command) { c.Target, c.Priority = "", "asap" }), ruleCodes(CodeSyntax, CodeSyntax)},
		{"too large", func(c *Case) { c.Policy.MostPayload, c.Command.Task = 2000, strings.Repeat("x", 2000) }, ruleCodes(CodeSyntax)},
		{"just small enough", func(c *Case) { c.Policy.MostPayload, c.Command.Task = 2200, strings.Repeat("x", 2000) }, nil},
		{"larger than 1 MiB", set(func(c *Command) { c.Payload = map[string]any{"x": strings.Repeat("x", 1<<20)} }), ruleCodes(CodeSyntax)},
		{"without a bound", func(c *Case) { c.Policy.MostPayload, c.Command.Task = -1, strings.Repeat("x", 2<<20) }, nil},
		{"no number", set(func(c *Command) { c.Payload = map[string]any{"x": math.NaN()} }), ruleCodes(CodeSyntax)},
		{"no value", set(func(c *Command) { c.Payload = map[string]any{"x": make(chan int)} }), ruleCodes(CodeSyntax)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, "rag")
			if tt.change != nil {
				tt.change(c)
			}
			require.Equal(t, tt.want, ruleCodesOf(c, "syntax"))
		})
	}
}

// Every field that a policy needs must be there and not blank.
func TestCheckSyntaxNeedX15(t *testing.T) {
	blank := map[string]func(*Case){
		"reason":      func(c *Case) { c.Command.Reason = " " },
		"explanation": func(c *Case) { c.Command.Explanation = "" },
		"task":        func(c *Case) { c.Command.Task = "\t" },
		"intent":      func(c *Case) { c.Command.Intent = "" },
		"session":     func(c *Case) { c.Session = "" },
		"source":      func(c *Case) { c.Source = nil },
		"luck":        func(*Case) {},
	}
	for name, change := range blank {
		c := ruleCase(&Policy{Need: []string{name}}, "rag")
		c.Command.Task, c.Command.Intent = "do it", "find it"
		if name != "luck" {
			require.Empty(t, ruleCodesOf(c, "syntax"), name)
		}
		change(c)
		require.Equal(t, ruleCodes(CodeMissing), ruleCodesOf(c, "syntax"), name)
		require.Equal(t, name, firstFailure(t, c, "syntax").Rule)
		c.Policy.Need = nil
		require.Empty(t, ruleCodesOf(c, "syntax"), name)
	}
	c := ruleCase(&Policy{Need: []string{"intent"}}, "rag")
	c.Frame = &Frame{Intent: "of the frame"}
	require.Empty(t, ruleCodesOf(c, "syntax"))
	c.Command.Kind, c.Frame = Return, nil
	require.Empty(t, ruleCodesOf(c, "syntax"), "only what hands off needs an intent")
}

// The bound of a command's size is never below its size.
func TestCommandAtMost(t *testing.T) {
	deep := any("x")
	for range 20 {
		deep = []any{map[string]any{"\x01\x02": deep}}
	}
	nasty := strings.Repeat("\x01\"\\<é", 50)
	commands := []Command{
		NewCommand("", "", ""),
		NewCommand(nasty, Reason(nasty), nasty),
		{Target: "a", Payload: map[string]any{nasty: nasty, "n": int64(math.MinInt64), "f": -1.7976931348623157e+308, "b": false, "z": nil, "d": deep}},
		{Kind: Spawn, Branches: []Branch{{Name: nasty, Target: nasty, Capability: nasty, Task: nasty, Payload: map[string]any{"a": nasty},
			Budget: Limits{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt64}}, {}}, Join: Join{1, true, nasty, math.MaxInt64}},
		{Kind: Wait, Until: &Until{Signals: []string{nasty, ""}, Count: math.MaxInt, For: math.MaxInt64}, Needs: []string{"", "", nasty}},
		{Kind: Return, ReturnControl: true, Result: &Outcome{Status: Completed, Text: nasty, Value: deep, Outputs: map[string]any{"k": deep}, Error: nasty, Code: Code(nasty),
			Retry: true, Missing: []string{nasty, ""}, Turns: math.MaxInt}, Usage: Usage{math.MaxInt, math.MaxInt, math.MaxInt64},
			Budget: Limits{math.MinInt, math.MinInt, math.MinInt, math.MinInt, math.MinInt, math.MinInt64}},
	}
	for _, c := range commands {
		data, err := c.Encode()
		require.NoError(t, err)
		s := c.atMost()
		require.True(t, !s.sure || s.n >= len(data), "%d < %d: %s", s.n, len(data), data)
	}
}

// A payload that holds itself ends in an error, not in a crash.
func TestCommandTooLargeCircle(t *testing.T) {
	m := map[string]any{}
	m["me"] = m
	c := Command{Target: "rag", Payload: m}
	require.NotEmpty(t, c.tooLarge(0))
	require.NotEmpty(t, c.tooLarge(-1))
}
