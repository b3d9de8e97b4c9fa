package crash_test

import (
	"fmt"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// says is what a model says when it is asked in some way. Its id tells one answer
// from all others: by it one sees whether the answer is kept; of
// a summary the text is kept alone.
type says struct {
	when  llmstub.Match
	text  string
	calls []llmstub.Call
}

func toolCall(id, name, args string) llmstub.Call {
	return llmstub.Call{ID: id, Name: name, Args: llmstub.Args(args)}
}

// handing is a call by which an agent hands over.
func handing(id, to, task string, back bool) llmstub.Call {
	return toolCall(id, "handoff_to_specialist", fmt.Sprintf(`{"targetAgentId":%q,"reason":"delegation","explanation":"it is theirs","task":%q,"returnControl":%v}`, to, task, back))
}

// lastEffect is the last thing that a model was told: what a tool did.
func lastEffect(name string) llmstub.Match { return llmstub.Match{Last: keptEffect(name)} }

// scripts are what models say in errands. What they say follows from what they are
// asked alone, however often.
var scripts = map[string][]says{
	"alone": {
		{llmstub.Match{Contains: "You write down what a conversation was about"}, "They spoke of cities: " + answerName(0), nil},
		{llmstub.Match{System: "You know winters", Last: "winter in Rome"}, "", []llmstub.Call{toolCall("call-w-rome", "look", `{"city":"Rome"}`)}},
		{llmstub.Match{System: "You know winters", Last: "winter in Lima"}, "", []llmstub.Call{toolCall("call-w-lima", "look", `{"city":"Lima"}`)}},
		{llmstub.Match{System: "You know winters", Last: "call-w-rome"}, "Mild in Rome.", nil},
		{llmstub.Match{System: "You know winters", Last: "call-w-lima"}, "Grey in Lima.", nil},
		{llmstub.Match{Last: "Compare"}, "I look at each.", []llmstub.Call{
			toolCall("call-oslo", "look", `{"city":"Oslo"}`), toolCall("call-rome", "look", `{"city":"Rome"}`), toolCall("call-lima", "look", `{"city":"Lima"}`),
		}},
		{lastEffect("look:call-lima"), "", []llmstub.Call{toolCall("call-rank", "rank", `{"by":"sun"}`)}},
		{lastEffect("rank:call-rank"), "Rome, I think.", nil},
		{llmstub.Match{Last: "Your answer cannot be used"}, `{"City":"Rome"}`, nil},
		{llmstub.Match{Last: "And how are they in winter?"}, "", []llmstub.Call{
			toolCall("call-winter-1", "winter", `{"task":"Tell of winter in Rome."}`), toolCall("call-winter-2", "winter", `{"task":"Tell of winter in Lima."}`),
		}},
		{llmstub.Match{Last: "Grey in Lima."}, `{"City":"Oslo"}`, nil},
	},
	"team": {
		{llmstub.Match{System: "You lead.", Last: "Deploy, but test first."}, "", []llmstub.Call{handing("hand-test", "tester", "run the tests", true)}},
		{llmstub.Match{Model: "claude", Last: "lint:call-lint"}, "42 tests pass.", nil},
		{llmstub.Match{Model: "claude", System: "run the tests"}, "I test.", []llmstub.Call{toolCall("call-run", "run", `{"all":true}`), toolCall("call-lint", "lint", `{}`)}},
		{llmstub.Match{System: "You lead.", Last: "42 tests pass."}, "", []llmstub.Call{toolCall("call-plan", "look", `{"at":"plan"}`), handing("hand-close", "closer", "deploy it", false)}},
		{llmstub.Match{System: "You deploy.", Last: "Back to the start."}, "", []llmstub.Call{handing("hand-back", "generalist", "say goodbye", false)}},
		{llmstub.Match{System: "You deploy.", Last: "read_log:call-log"}, "No errors.", nil},
		{llmstub.Match{System: "You deploy.", Last: "What does the log say?"}, "", []llmstub.Call{toolCall("call-log", "read_log", `{}`)}},
		{llmstub.Match{System: "You deploy.", Last: "ship:call-ship"}, "It is live.", nil},
		{llmstub.Match{System: "You deploy.", Last: "deploy it"}, "", []llmstub.Call{toolCall("call-ship", "ship", `{}`)}},
		{llmstub.Match{System: "say goodbye"}, "Goodbye.", nil},
	},
	"asked": {
		{llmstub.Match{Last: "Book a room in Rome."}, "", []llmstub.Call{toolCall("call-book", "book", `{"City":"Rome"}`), toolCall("call-look", "look", `{}`)}},
		{lastEffect("look:call-look"), "", []llmstub.Call{toolCall("call-pay", "pay", `{"euro":90}`)}},
		{lastEffect("pay:call-pay"), "Booked in Rome.", nil},
		{llmstub.Match{Last: "Now one in Lima."}, "", []llmstub.Call{toolCall("call-ask", "ask_person", `{"question":"Any wishes?"}`), toolCall("call-more", "look", `{}`)}},
		{lastEffect("look:call-more"), "Noted for Lima.", nil},
	},
}

// scriptOf makes the replies of an errand's models. Each costs tokens of its own.
func scriptOf(errand string) *llmstub.Script {
	out := &llmstub.Script{}
	for i, s := range scripts[errand] {
		out.Replies = append(out.Replies, llmstub.Reply{
			When: s.when, Times: -1, Text: s.text, Calls: s.calls, ID: answerName(i), Usage: usageOf(i),
		})
	}
	return out
}

func answerName(i int) string { return fmt.Sprintf("answer-%02d.", i) }

// usageOf is what an answer costs: sums of different answers differ.
func usageOf(i int) llmstub.Usage { return llmstub.Usage{Input: 1000 + 1<<i, Output: 10} }
