package transcript_test

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// dice makes choices of bytes; without bytes left it takes the first. Tame ones
// make messages that have only their order wrong.
type dice struct {
	bytes []byte
	tame  bool
}

func (d *dice) roll(n int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % n
}

func (d *dice) chance(oneIn int) bool { return d.roll(oneIn) == 1 }

func pick[T any](d *dice, of ...T) T { return of[d.roll(len(of))] }

// transcript makes any conversation, most of them wrong in several ways.
func (d *dice) transcript() []state.Message {
	d.tame = d.roll(2) == 1
	var out []state.Message
	for len(d.bytes) > 0 && len(out) < 24 {
		out = append(out, d.message())
	}
	return out
}

func (d *dice) message() state.Message {
	if d.tame {
		return d.tameMessage()
	}
	m := state.Message{
		Role:    pick(d, state.RoleHuman, state.RoleAI, state.RoleTool, state.RoleAI, state.RoleTool, state.RoleSystem, "", "robot"),
		Content: d.parts(),
	}
	if d.chance(4) {
		m.Name = pick(d, "", "writer", "critic", "Mr. Ünlü", strings.Repeat("n", 65), "look")
	}
	if m.Role == state.RoleAI || d.chance(12) {
		for range d.roll(4) {
			m.ToolCalls = append(m.ToolCalls, d.call())
		}
	}
	if m.Role == state.RoleTool || d.chance(12) {
		m.ToolCallID = d.id()
	}
	if d.chance(8) {
		m.ID, m.Time, m.Status = "m", time.Unix(1, 0), pick(d, "success", "error")
	}
	return m
}

func (d *dice) tameMessage() state.Message {
	m := state.Text(pick(d, state.RoleHuman, state.RoleAI, state.RoleTool, state.RoleTool, state.RoleSystem), pick(d, "one", "two", "three"))
	switch m.Role {
	case state.RoleAI:
		for range d.roll(3) {
			m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: pick(d, "a", "b", "c", "d", "look"), Name: "look"})
		}
	case state.RoleTool:
		m.ToolCallID, m.Name = pick(d, "a", "b", "c", "d", "look"), "look"
	}
	return m
}

// edit changes one thing in the order of messages.
func (d *dice) edit(messages []state.Message) []state.Message {
	out := slices.Clone(messages)
	i, k := d.roll(len(out)), d.roll(len(out))
	switch d.roll(4) {
	case 0:
		return slices.Delete(out, i, i+1)
	case 1:
		return slices.Insert(out, i, out[k])
	case 2:
		out[i].Content = slices.Concat(out[i].Content, d.parts())
	default:
		out[i], out[k] = out[k], out[i]
	}
	return out
}

func (d *dice) id() string {
	return pick(d, "a", "b", "c", "a", "", "look", "c00000001", "not a word", strings.Repeat("i", 41), strings.Repeat("i", 65), "\xff")
}

// deep are arguments that are JSON only until they are put into an object.
var deep = strings.Repeat("[", 10000) + strings.Repeat("]", 10000)

func (d *dice) call() state.ToolCall {
	args := pick(d, `{"q":1}`, `{}`, "", " ", "null", "[1]", `{"q":`, `"x"`, "\xff", ` {"a":{}}`)
	if d.chance(256) {
		args = deep
	}
	return state.ToolCall{
		ID:   d.id(),
		Name: pick(d, "look", "transfer_to_critic", "look", "", "files.read", "no tool", strings.Repeat("é", 40), "\xff\x01"),
		Args: json.RawMessage(args),
	}
}

func (d *dice) parts() []state.Part {
	var out []state.Part
	for range pick(d, 1, 0, 1, 2, 3) {
		out = append(out, d.part())
	}
	return out
}

func (d *dice) part() state.Part {
	return pick(d,
		state.Part{Type: "text", Text: pick(d, "one", "two", "three", "four")},
		state.Part{Type: "text", Text: "x"},
		state.Part{Type: "text", Text: pick(d, "", " \n", "\u2003")},
		state.Part{Type: transcript.TypeReasoning, Text: "hm", MIME: pick(d, transcript.SignedAnthropic, transcript.SignedGemini, transcript.SignedOpenAI, "", "other"), Data: pick(d, []byte("s"), []byte("s"), nil)},
		state.Part{Type: "image", URL: "https://example.org/a.png"},
		state.Part{Type: pick(d, "image", "", " ", "file"), Data: []byte("d"), MIME: pick(d, "image/png", "")},
		state.Part{Type: pick(d, "image", "")},
	)
}

// profile makes any profile.
func (d *dice) profile() *transcript.Profile {
	yes := func() bool { return d.roll(2) == 1 }
	return &transcript.Profile{
		RepeatRoles: yes(), AnyFirst: yes(), AnyLast: yes(), SystemAnywhere: yes(), EmptyText: yes(), Names: yes(),
		AnyResultName: yes(), FreeIDs: yes(), MediaInResults: yes(), MediaFromAI: yes(),
		IDMax: pick(d, 0, -1, 1, 9, 64), ToolChars: pick(d, "", ".:", "é", "\uFFFD"), Reasoning: pick(d, "", transcript.SignedAnthropic, transcript.SignedGemini, transcript.SignedOpenAI),
	}
}

func (d *dice) view() transcript.View {
	return transcript.View{
		Agent: pick(d, "", "writer", "critic"), Retell: d.roll(2) == 1,
		Brief: pick(d, "", "Check the facts.", " "), Interrupted: pick(d, "", "stopped", " "),
	}
}

// profiles are the ready ones and the strictest.
func profiles() map[string]*transcript.Profile {
	return map[string]*transcript.Profile{
		"OpenAI": transcript.OpenAI(), "Anthropic": transcript.Anthropic(), "Gemini": transcript.Gemini(),
		"Compatible": transcript.Compatible(), "strictest": {}, "Responses": transcript.Responses(), "Bedrock": transcript.Bedrock(),
	}
}

// policies are ways to choose what of a conversation goes along. They cut
// through calls and their results without a thought.
func policies() map[string]func([]state.Message) []state.Message {
	without := func(drop func(state.Message) bool) func([]state.Message) []state.Message {
		return func(ms []state.Message) []state.Message { return slices.DeleteFunc(slices.Clone(ms), drop) }
	}
	return map[string]func([]state.Message) []state.Message{
		"full":       func(ms []state.Message) []state.Message { return ms },
		"last three": func(ms []state.Message) []state.Message { return ms[max(0, len(ms)-3):] },
		"first five": func(ms []state.Message) []state.Message { return ms[:min(5, len(ms))] },
		"summary": func(ms []state.Message) []state.Message {
			return append([]state.Message{state.Text(state.RoleSystem, "So far: much.")}, ms[len(ms)/2:]...)
		},
		"no results":  without(func(m state.Message) bool { return m.Role == state.RoleTool }),
		"no turns":    without(func(m state.Message) bool { return m.Role == state.RoleAI }),
		"twice":       func(ms []state.Message) []state.Message { return slices.Concat(ms, ms) },
		"backwards":   func(ms []state.Message) []state.Message { c := slices.Clone(ms); slices.Reverse(c); return c },
		"agents only": without(func(m state.Message) bool { return m.Role == state.RoleHuman }),
	}
}
