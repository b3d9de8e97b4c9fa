// Package wiretest makes conversations to test adapters with.
package wiretest

import (
	"encoding/json"
	"math/rand/v2"
	"strings"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// Seed adds a few conversations that have something of everything.
func Seed(add func(...any)) {
	add([]byte{})
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 20+10*seed)
		for i := range data {
			data[i] = byte(r.UintN(256))
		}
		add(data)
	}
}

// Conversation makes a conversation of bytes, most of them wrong in several ways.
func Conversation(data []byte) []state.Message {
	d := dice(data)
	var out []state.Message
	for len(d) > 0 && len(out) < 24 {
		out = append(out, d.message())
	}
	return out
}

// dice are choices that are still to be made; without any it is the first.
type dice []byte

func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

func pick[T any](d *dice, of ...T) T { return of[d.roll(len(of))] }

func (d *dice) message() state.Message {
	m := state.Message{
		Role: pick(d, state.RoleHuman, state.RoleAI, state.RoleTool, state.RoleAI, state.RoleTool, state.RoleSystem, "robot"),
		Name: pick(d, "", "", "writer", "Mr. Ünlü"),
	}
	for range pick(d, 1, 0, 1, 2, 3) {
		m.Content = append(m.Content, d.part())
	}
	switch m.Role {
	case state.RoleAI:
		for range d.roll(4) {
			m.ToolCalls = append(m.ToolCalls, d.call())
		}
	case state.RoleTool:
		m.ToolCallID, m.Status = d.id(), pick(d, "", "success", "error")
	}
	return m
}

func (d *dice) id() string {
	return pick(d, "a", "b", "c", "a", "", "look", "not a word", strings.Repeat("i", 65), "\xff")
}

func (d *dice) call() state.ToolCall {
	args := pick(d, `{"q":1}`, `{}`, "", " ", "null", "[1]", `{"q":`, "\xff", ` {"a":{}}`)
	return state.ToolCall{
		ID: d.id(), Name: pick(d, "look", "look", "", "files.read", "no tool", strings.Repeat("é", 40), "\xff\x01"),
		Args: json.RawMessage(args),
	}
}

func (d *dice) part() state.Part {
	mime := pick(d, "image/png", "image/tiff", "application/pdf", "text/plain", "audio/wav", "a/b", "")
	return pick(d,
		state.Part{Type: "text", Text: pick(d, "one", "two", "\xff")},
		state.Part{Type: "text", Text: pick(d, "", " \n", "\u2003")},
		state.Part{Type: transcript.TypeReasoning, Text: pick(d, "hm", ""), MIME: pick(d, transcript.SignedAnthropic, transcript.SignedGemini, ""), Data: pick(d, []byte("s"), nil, []byte("redacted_thinking:x"))},
		state.Part{Type: pick(d, "image", "file"), MIME: mime, URL: pick(d, "https://example.org/a", "data:image/png;base64,cG5n", "data:,x", " ")},
		state.Part{Type: pick(d, "image", "", " ", "file"), MIME: mime, Data: []byte("d")},
		state.Part{Type: pick(d, "image", "")},
	)
}
