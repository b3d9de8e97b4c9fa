package transcript_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

func human(text string) state.Message  { return state.Text(state.RoleHuman, text) }
func system(text string) state.Message { return state.Text(state.RoleSystem, text) }

func ai(text string, calls ...state.ToolCall) state.Message {
	m := state.Text(state.RoleAI, text)
	m.ToolCalls = calls
	return m
}

func by(name string, m state.Message) state.Message {
	m.Name = name
	return m
}

// with puts a part in front of a message.
func with(p state.Part, m state.Message) state.Message {
	m.Content = append([]state.Part{p}, m.Content...)
	return m
}

func call(id, name string) state.ToolCall {
	return state.ToolCall{ID: id, Name: name, Args: json.RawMessage(`{}`)}
}

func result(id, text string) state.Message {
	m := state.Text(state.RoleTool, text)
	m.ToolCallID = id
	return m
}

func signed(by string) state.Part {
	return state.Part{Type: transcript.TypeReasoning, Text: "hm", MIME: by, Data: []byte("s")}
}

// show writes messages as lines.
func show(messages []state.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role))
		for _, tag := range []string{m.Name, m.ToolCallID} {
			if tag != "" {
				b.WriteString(" " + tag)
			}
		}
		b.WriteString(":")
		for _, p := range m.Content {
			if p.Type == "text" {
				b.WriteString(" " + strings.ReplaceAll(p.Text, "\n", " / "))
			} else {
				b.WriteString(" <" + p.Type + ">")
			}
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " %s#%s%s", c.Name, c.ID, c.Args)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// corpus is a conversation that a provider has refused or answered badly, with
// what is sent of it and the repairs.
type corpus struct {
	in      []state.Message
	profile *transcript.Profile
	view    transcript.View
	want    []string
	repairs string
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	tests := map[string]corpus{}
	for _, cases := range []map[string]corpus{callCases(), historyCases(), retoldCases(), providerCases()} {
		maps.Copy(tests, cases)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent, repairs := test.view.Project(test.in, test.profile)
			require.Equal(t, strings.Join(test.want, "\n")+"\n", show(sent))
			require.Equal(t, test.repairs, strings.Trim(fmt.Sprint(repairs), "[]"))
			require.NoError(t, transcript.Check(sent, test.profile))
			for _, p := range profiles() { // whatever it was a trouble for
				proves(t, test.in, p, test.view)
			}
		})
	}
}

// callCases are turns with a handoff and something else.
func callCases() map[string]corpus {
	both := ai("", call("1", "add"), call("2", "transfer_to_bob"))
	transferred := result("2", "Bob has it.")
	return map[string]corpus{
		"the tool's result is lost beside a transfer": {
			in:      []state.Message{human("3+4? Then Bob."), both, transferred},
			profile: transcript.OpenAI(),
			want: []string{"human: 3+4? Then Bob.", "ai: add#1{} transfer_to_bob#2{}", "tool 2: Bob has it.",
				"tool add 1: The call was interrupted: there is no result."},
			repairs: `orphan_call at message 1, call "1"`,
		},
		"two transfers and one taken": {
			in:      []state.Message{human("Poem and joke."), ai("", call("1", "transfer_to_b"), call("2", "transfer_to_c")), result("1", "ok"), by("b", ai("A poem."))},
			profile: transcript.OpenAI(),
			want: []string{"human: Poem and joke.", "ai: transfer_to_b#1{} transfer_to_c#2{}", "tool 1: ok",
				"tool transfer_to_c 2: The call was interrupted: there is no result.", "ai b: A poem."},
			repairs: `orphan_call at message 1, call "2"`,
		},
		"a transfer without any result": {
			in:      []state.Message{human("Weather?"), by("basic", ai("", call("1", "transfer_to_data")))},
			profile: transcript.Compatible(),
			view:    transcript.View{Interrupted: "handed over", Brief: "Tell the weather."},
			want:    []string{"human: Weather?", "ai: transfer_to_data#1{}", "tool transfer_to_data 1: handed over", "human: Tell the weather."},
			repairs: `orphan_call at message 1, call "1" name_changed at message 1 brief_added`,
		},
		"the results of a step that ran in parallel come late": {
			in:      []state.Message{human("Go."), both, human("Still there?"), transferred, ai("Bob here."), result("1", "7")},
			profile: transcript.OpenAI(),
			want:    []string{"human: Go.", "ai: add#1{} transfer_to_bob#2{}", "tool 2: Bob has it.", "tool 1: 7", "human: Still there?", "ai: Bob here."},
			repairs: `result_moved at message 3, call "2" result_moved at message 5, call "1"`,
		},
		"two components acknowledge one transfer": {
			in:      []state.Message{human("Go."), ai("", call("1", "transfer_to_bob")), result("1", "by the agent"), result("1", "by the team")},
			profile: transcript.OpenAI(),
			want:    []string{"human: Go.", "ai: transfer_to_bob#1{}", "tool 1: by the agent"},
			repairs: `duplicate_result at message 3, call "1"`,
		},
		"bounced back, the transfer's result is the last word": {
			in:      []state.Message{human("Order 7 is late."), by("triage", ai("", call("1", "transfer_to_triage"))), result("1", "Transferred.")},
			profile: transcript.OpenAI(), view: transcript.View{Agent: "triage", Brief: "Find out why order 7 is late."},
			want:    []string{"human: Order 7 is late.", "ai triage: transfer_to_triage#1{}", "tool 1: Transferred.", "human: Find out why order 7 is late."},
			repairs: "brief_added",
		},
		"bounced back, the transfer's result is the only word": {
			in:      []state.Message{result("1", "Transferred.")},
			profile: transcript.OpenAI(), view: transcript.View{Brief: "Find out why order 7 is late."},
			want:    []string{"human: Find out why order 7 is late."},
			repairs: `orphan_result at message 0, call "1" turn_added`,
		},
	}
}

// historyCases are conversations that someone has shortened, retold or joined.
func historyCases() map[string]corpus {
	good := []state.Message{system("Be brief."), human("Hi."), ai("", call("1", "transfer_to_b")), result("1", "ok"), ai("Hello."), human("Bye.")}
	return map[string]corpus{
		"a good history is not nested": {
			in: good, profile: transcript.Anthropic(),
			want: strings.Split(strings.TrimSpace(show(good)), "\n"),
		},
		"the items come beside their summary": {
			in: []state.Message{ai("So far: the user said hi, and a transferred to b."), ai("", call("1", "transfer_to_b")), result("1", "ok"),
				ai("", call("1", "transfer_to_b")), result("1", "ok")},
			profile: transcript.Anthropic(),
			want: []string{"human: Begin.", "ai: So far: the user said hi, and a transferred to b. transfer_to_b#1{}", "tool 1: ok",
				"ai: transfer_to_b#c00000001{}", "tool c00000001: ok"},
			repairs: `roles_merged at message 1 id_changed at message 3, call "1" turn_added`,
		},
		"a turn is forwarded twice": {
			in:      []state.Message{human("Hi."), by("a", ai("I see.")), by("a", ai("I see.")), by("b", ai("Me too."))},
			profile: transcript.Compatible(),
			want:    []string{"human: Hi.", "ai: I see. I see. Me too.", "human: Continue."},
			repairs: "name_changed at message 1 name_changed at message 2 roles_merged at message 2 name_changed at message 3 roles_merged at message 3 turn_added",
		},
		"the history is one assistant message": {
			in:      []state.Message{system("You are b."), ai("For context: the user asked for a poem.")},
			profile: transcript.Gemini(),
			want:    []string{"system: You are b.", "human: Begin.", "ai: For context: the user asked for a poem.", "human: Continue."},
			repairs: "turn_added turn_added",
		},
		"reasoning is left behind without its call": {
			in:      []state.Message{human("Hi."), with(signed(transcript.SignedAnthropic), ai("")), ai("Hello."), human("Bye.")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: Hello.", "human: Bye."},
			repairs: "reasoning_dropped at message 1 empty_dropped at message 1",
		},
		"the call is cut off and the result is not": {
			in:      []state.Message{result("1", "7"), ai("It is 7."), human("Thanks.")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Begin.", "ai: It is 7.", "human: Thanks."},
			repairs: `orphan_result at message 0, call "1" turn_added`,
		},
		"other agents' turns are retold": {
			in: []state.Message{human("Write."), by("writer", with(signed(transcript.SignedGemini), ai("A draft.", call("1", "look"), call("2", "look")))),
				result("1", "a source"), by("critic", ai("", call("3", "score"))), result("3", "5")},
			profile: transcript.Gemini(), view: transcript.View{Agent: "critic", Retell: true},
			want: []string{"human: Write. [writer] said: A draft. [writer] called look with {} / [writer] called look with {} [writer] got from look: a source",
				"ai: score#3{}", "tool score 3: 5"},
			repairs: `reasoning_dropped at message 1 agent_retold at message 1 roles_merged at message 1 agent_retold at message 2 roles_merged at message 2 ` +
				`name_changed at message 3 result_renamed at message 4, call "3"`,
		},
	}
}

// retoldCases are handoffs to an agent that gets the others' turns as a text.
func retoldCases() map[string]corpus {
	moved := []state.Message{human("Order 7 is late."), by("triage", ai("", call("1", "transfer_to_b"))), result("1", "ok")}
	told := "human: Order 7 is late. [triage] called transfer_to_b with {} [triage] got from transfer_to_b: ok"
	repairs := "agent_retold at message 1 roles_merged at message 1 agent_retold at message 2 roles_merged at message 2"
	return map[string]corpus{
		"the brief is behind a retold transfer": {
			in: moved, profile: transcript.Compatible(), view: transcript.View{Agent: "b", Retell: true, Brief: "Find order 7."},
			want: []string{told + " Find order 7."}, repairs: repairs + " brief_added",
		},
		"without a brief the retold transfer is last": {
			in: moved, profile: transcript.Compatible(), view: transcript.View{Agent: "b", Retell: true},
			want: []string{told}, repairs: repairs,
		},
		"a turn without a word is not retold": {
			in:      []state.Message{human("Hi."), by("triage", ai("")), by("b", ai("Yes?"))},
			profile: transcript.OpenAI(), view: transcript.View{Agent: "b", Retell: true},
			want: []string{"human: Hi.", "ai b: Yes?"}, repairs: "empty_dropped at message 1",
		},
		"one's own turns stay": {
			in: moved, profile: transcript.Compatible(), view: transcript.View{Agent: "triage", Retell: true},
			want:    []string{"human: Order 7 is late.", "ai: transfer_to_b#1{}", "tool transfer_to_b 1: ok"},
			repairs: `name_changed at message 1 result_renamed at message 2, call "1"`,
		},
	}
}

// providerCases are differences of providers.
func providerCases() map[string]corpus {
	thought := with(signed(transcript.SignedAnthropic), ai("Let me see.", call("1", "look")))
	reused := []state.Message{human("Both."), ai("", call("look", "look"), call("look", "look")), by("look", result("look", "x")), by("look", result("look", "y")),
		human("Again."), ai("", call("look", "look")), by("look", result("look", "z"))}
	return map[string]corpus{
		"reasoning goes back to who signed it": {
			in:      []state.Message{human("Hi."), thought, result("1", "x")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: <reasoning> Let me see. look#1{}", "tool 1: x"},
		},
		"reasoning goes to nobody else": {
			in:      []state.Message{human("Hi."), thought, result("1", "x")},
			profile: transcript.OpenAI(),
			want:    []string{"human: Hi.", "ai: Let me see. look#1{}", "tool 1: x"},
			repairs: "reasoning_dropped at message 1",
		},
		"an empty message on return": {
			in:      []state.Message{human("Hi."), ai("", call("1", "transfer_back")), result("1", "ok"), by("supervisor", ai(""))},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: transfer_back#1{}", "tool 1: ok"},
			repairs: "name_changed at message 3 empty_dropped at message 3",
		},
		"no names": {
			in:      []state.Message{by("Ann", human("Hi.")), by("Poet (v2)", ai("Hello.")), human("Bye.")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: Hello.", "human: Bye."},
			repairs: "name_changed at message 0 name_changed at message 1",
		},
		"names that are no words": {
			in:      []state.Message{by("Ann", human("Hi.")), by("Poet (v2)", ai("Hello."))},
			profile: transcript.OpenAI(),
			want:    []string{"human Ann: Hi.", "ai Poet__v2_: Hello."},
			repairs: "name_changed at message 1",
		},
		"ids used again stay with who uses them again": {
			in: reused, profile: transcript.Gemini(),
			want: strings.Split(strings.TrimSpace(show(reused)), "\n"),
		},
		"ids used again are made different elsewhere": {
			in: reused, profile: transcript.OpenAI(),
			want: []string{"human: Both.", "ai: look#look{} look#c00000001{}", "tool look look: x", "tool look c00000001: y",
				"human: Again.", "ai: look#c00000002{}", "tool look c00000002: z"},
			repairs: `id_changed at message 1, call "look" id_changed at message 5, call "look"`,
		},
		"an id used again before the first has its result": {
			in:      slices.Concat(reused[:2], reused[4:]),
			profile: transcript.Gemini(),
			want: []string{"human: Both.", "ai: look#look{} look#look{}", "tool look look: The call was interrupted: there is no result.",
				"tool look look: The call was interrupted: there is no result.", "human: Again.", "ai: look#look{}", "tool look look: z"},
			repairs: `orphan_call at message 1, call "look" orphan_call at message 1, call "look"`,
		},
		"calls without ids": {
			in:      []state.Message{human("Hi."), ai("\n", call("", "transfer_to_b")), result("", "ok")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: transfer_to_b#c00000001{}", "tool c00000001: ok"},
			repairs: `id_changed at message 1 text_dropped at message 1`,
		},
		"an id is made that no later call has": {
			in:      []state.Message{human("Hi."), ai("", call("", "look"), call("c00000001", "look")), result("", "x"), result("c00000001", "y")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", "ai: look#c00000002{} look#c00000001{}", "tool c00000002: x", "tool c00000001: y"},
			repairs: "id_changed at message 1",
		},
		"two speakers in one message have no name": {
			in:      []state.Message{by("Ann", human("Hi.")), by("Ann", human("Anyone?")), ai("Yes."), by("Ann", human("Oh.")), by("Bob", human("Hi."))},
			profile: &transcript.Profile{Names: true},
			want:    []string{"human Ann: Hi. Anyone?", "ai: Yes.", "human: Oh. Hi."},
			repairs: "roles_merged at message 1 roles_merged at message 4",
		},
		"a tool that is none, with arguments that are none": {
			in: []state.Message{human("Hi."), ai("", state.ToolCall{ID: "1", Name: "do it!", Args: json.RawMessage(`{"a":`)},
				state.ToolCall{ID: "2", Args: json.RawMessage(`[1]`)}), result("1", "no such tool"), result("2", "no such tool")},
			profile: transcript.Anthropic(),
			want:    []string{"human: Hi.", `ai: do_it_#1{"input":"{\"a\":"} unknown#2{"input":[1]}`, "tool 1: no such tool", "tool 2: no such tool"},
			repairs: `tool_renamed at message 1, call "1" args_changed at message 1, call "1" tool_renamed at message 1, call "2" args_changed at message 1, call "2"`,
		},
		"a picture from a tool": {
			in:      []state.Message{human("Hi."), ai("", call("1", "shot")), with(state.Part{Type: "image", URL: "https://example.org/a.png"}, result("1", "done"))},
			profile: transcript.OpenAI(),
			want:    []string{"human: Hi.", "ai: shot#1{}", "tool 1: [image left out] done"},
			repairs: "part_replaced at message 2",
		},
		"instructions in the middle": {
			in:      []state.Message{system("Be kind."), human("Hi."), ai("Hello."), system("Now be brief."), human("Bye.")},
			profile: transcript.Compatible(),
			want:    []string{"system: Be kind. Now be brief.", "human: Hi.", "ai: Hello.", "human: Bye."},
			repairs: "system_moved at message 3 roles_merged at message 3",
		},
	}
}

// TestInputsAreNotWrittenTo joins messages whose parts have room behind them.
func TestInputsAreNotWrittenTo(t *testing.T) {
	t.Parallel()
	parts := []state.Part{{Type: "text", Text: "a"}, {Type: "text", Text: "b"}}
	first := state.Message{Role: state.RoleHuman, Content: parts[:1]}
	sent, _ := transcript.Project([]state.Message{first, human("c")}, nil)
	require.Equal(t, "ac", sent[0].Text())
	require.Equal(t, "b", parts[1].Text)
}
