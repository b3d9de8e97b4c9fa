package handoffs_test

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// crashSessions are the sessions in which every call of the store fails.
func crashSessions() map[string]*rndProgram {
	return map[string]*rndProgram{"X-27 chain": crashChain(), "X-25 parallel": crashParallel(), "X-39 calls": crashCalls()}
}

func inOrder(id string, does ...rndTurn) rndAgent { return rndAgent{ID: id, InOrder: true, Does: does} }

func turnOf(ops ...rndOp) rndTurn { return rndTurn{Takes: time.Minute, Tokens: 10, Ops: ops} }

func opTo(kind handoffs.Kind, to, task string) rndOp { return rndOp{Kind: kind, To: to, Task: task} }

func opReturn(text string, outputs map[string]any) rndOp {
	return rndOp{Kind: handoffs.Return, Result: handoffs.Outcome{Status: handoffs.Completed, Text: text, Value: int64(len(text)), Outputs: outputs}}
}

// crashChain hands from agent to agent, waits for signals and for a time, and
// tries one agent twice.
func crashChain() *rndProgram {
	move := func(to, task string) rndTurn { return turnOf(opTo(handoffs.Transfer, to, task)) }
	quotes := rndOp{Kind: handoffs.Wait, Signals: []string{"quote"}, Count: 3, For: 24 * time.Hour}
	return &rndProgram{
		Inputs: 2, Edges: []rndEdge{{From: "search", To: "analysis", Retry: 2, Wait: time.Second}},
		Script: []rndSignal{{2 * time.Hour, "quote"}, {3 * time.Hour, "quote"}, {5 * time.Hour, "quote"}},
		Agents: []rndAgent{
			inOrder("orchestrator", move("client", "look the client up")),
			inOrder("client", turnOf(rndOp{Kind: handoffs.Wait, For: time.Minute}), move("search", "find flights")),
			inOrder("search", turnOf(quotes), move("analysis", "look at the quotes")),
			{ID: "analysis", Does: []rndTurn{{Fail: "no network"}, move("mail", "write"), move("mail", "write")}},
			inOrder("mail", turnOf(), turnOf(opTo(handoffs.Escalate, "", ""))),
		},
	}
}

// crashParallel spawns three agents, two of them of one kind, whose results are
// in conflict, and then those of whom one fails.
func crashParallel() *rndProgram {
	spawn := func(join handoffs.Join) rndOp {
		return rndOp{Kind: handoffs.Spawn, Join: join, Branches: []rndOp{opTo("", "researcher", "redis"), opTo("", "researcher", "caching"), opTo("", "scout", "look around")}}
	}
	return &rndProgram{
		Inputs: 2, Tokens: 500,
		Agents: []rndAgent{
			inOrder("architect", turnOf(spawn(handoffs.Join{Resolve: "agent:judge"})), turnOf(spawn(handoffs.Join{Need: 2, Partial: true})), turnOf(), turnOf(spawn(handoffs.Join{Need: 1})), turnOf()),
			inOrder("researcher", turnOf(opTo(handoffs.Call, "helper", "details")), turnOf(opReturn("found", map[string]any{"summary": "good"}))),
			{ID: "scout", Does: []rndTurn{turnOf(opReturn("seen", map[string]any{"summary": "bad"})), turnOf(opReturn("seen", map[string]any{"summary": "bad"})), {Fail: "lost"}, turnOf()}},
			inOrder("helper", turnOf()),
			inOrder("judge", turnOf(opReturn("the first", nil))),
		},
	}
}

// crashCalls calls one specialist after the other, one of which calls itself on
// others, one hands over within its call, and one talks with the user.
func crashCalls() *rndProgram {
	return &rndProgram{
		Inputs: 3, Cap: 20,
		Agents: []rndAgent{
			inOrder("generalist", turnOf(opTo(handoffs.Call, "test", "run the tests")), turnOf(opTo(handoffs.Call, "deploy", "deploy"), opTo(handoffs.Call, "test", "again")), turnOf()),
			inOrder("test", turnOf(opTo(handoffs.Call, "env", "prepare")), turnOf(opReturn("42 pass", nil))),
			inOrder("env", turnOf()),
			inOrder("deploy", turnOf(opTo(handoffs.Transfer, "rollback", "undo"))),
			{ID: "rollback", Conversational: true, InOrder: true, Does: []rndTurn{turnOf(), turnOf(opReturn("undone", nil))}},
		},
	}
}
