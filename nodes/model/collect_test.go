package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

func TestCollect(t *testing.T) {
	said := func(parts ...state.Part) state.Message { return state.Message{Role: state.RoleAI, Content: parts} }
	word := func(s string) state.Part { return state.Part{Type: "text", Text: s} }
	thought := func(s, signature string) state.Part {
		p := state.Part{Type: "reasoning", Text: s}
		if signature != "" {
			p.Data, p.MIME = []byte(signature), "anthropic"
		}
		return p
	}
	signed := model.Reasoning{Text: "c", Signature: []byte("s"), By: "anthropic"}
	called := said()
	called.ToolCalls = []state.ToolCall{{ID: "1", Name: "look", Args: json.RawMessage(`{}`)}}
	for name, c := range map[string]struct {
		stream []any
		want   state.Message
		stop   model.Stop
		class  error
		text   string
	}{
		"nothing said":      {stream: []any{end("stop")}, want: said(), stop: model.StopEnd},
		"pieces":            {stream: []any{text("a"), text(""), text("b"), end("stop")}, want: said(word("ab")), stop: model.StopEnd},
		"kinds in order":    {stream: []any{model.Reasoning{Text: "a"}, text("b"), model.Reasoning{Text: "b"}, signed, signed, end("length")}, want: said(thought("a", ""), word("b"), thought("bc", "s"), thought("c", "s")), stop: model.StopLength},
		"no arguments":      {stream: []any{call("1", "look", " "), end("tool_calls")}, want: called, stop: model.StopCalls},
		"another reason":    {stream: []any{end("of the world")}, want: said(), stop: "of the world"},
		"again":             {stream: []any{text("a"), call("1", "look", ""), model.Again{Attempt: 2}, text("b"), end("stop")}, want: said(word("b")), stop: model.StopEnd},
		"empty":             {class: model.Cut, text: "the stream ended before"},
		"no end":            {stream: []any{text("a")}, class: model.Cut, text: "the stream ended before"},
		"behind the end":    {stream: []any{end("stop"), text("a")}, class: model.Malformed, text: "goes on behind"},
		"two ends":          {stream: []any{end("stop"), end("stop")}, class: model.Malformed, text: "goes on behind"},
		"calls without any": {stream: []any{end("tool_calls")}, class: model.Malformed, text: "no call came"},
		"nameless call":     {stream: []any{call("1", "", "{}")}, class: model.Malformed, text: "no name"},
		"half arguments":    {stream: []any{call("1", "look", `{"a":`)}, class: model.Malformed, text: `"look" are no JSON object: {"a":`},
		"list as arguments": {stream: []any{call("1", "look", `[1]`)}, class: model.Malformed, text: "no JSON object"},
		"null as arguments": {stream: []any{call("1", "look", `null`)}, class: model.Malformed, text: "no JSON object"},
		"no chunk":          {stream: []any{nil}, class: model.Malformed, text: "type <nil>"},
		"error":             {stream: []any{text("a"), fault(model.Overloaded)}, class: model.Overloaded, text: "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := model.Collect(turns(c.stream).Stream(t.Context(), ask("?")), nil)
			if c.class != nil {
				require.ErrorIs(t, err, c.class)
				require.ErrorContains(t, err, c.text)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.Message)
			require.Equal(t, c.stop, got.Stop)
		})
	}
}

func TestCollectTellsEachChunkAndStopsAtItsError(t *testing.T) {
	enough := errors.New("enough")
	var seen []model.Chunk
	_, err := model.Collect(turns([]any{text("a"), text("b"), end("stop")}).Stream(t.Context(), ask("?")), func(c model.Chunk) error {
		if seen = append(seen, c); len(seen) == 2 {
			return enough
		}
		return nil
	})
	require.Equal(t, enough, err)
	require.Equal(t, []model.Chunk{text("a"), text("b")}, seen)
}

func TestChunksAreCollectedToTheSameAnswer(t *testing.T) {
	answer := &model.Response{
		Message: state.Message{Role: state.RoleAI,
			Content: []state.Part{
				{Type: "reasoning", Text: "hm", Data: []byte{0, 255}, MIME: "anthropic"}, {Type: "text", Text: "well\n"}, {Type: "reasoning", Text: "then"},
			},
			ToolCalls: []state.ToolCall{{ID: "a", Name: "look", Args: json.RawMessage(`{"x": 1}`)}, {ID: "a", Name: "look", Args: json.RawMessage(`{}`)}},
		},
		Stop: model.StopCalls, Usage: model.Usage{Input: 5, Output: 3, CacheRead: 1, CacheWrite: 2, Reasoning: 1}, Model: "m-2", ID: "x",
	}
	m := model.Func(func(context.Context, *model.Request) (*model.Response, error) { return answer, nil })
	got, err := model.Collect(m.Stream(t.Context(), ask("?")), nil)
	require.NoError(t, err)
	require.Equal(t, answer, got)

	for want := range answer.Chunks() { // a reader may leave at any chunk
		require.Equal(t, model.Reasoning{Text: "hm", Signature: []byte{0, 255}, By: "anthropic"}, want)
		break
	}
}

func TestChunksFindOutWhyTheModelStopped(t *testing.T) {
	for name, c := range map[string]struct {
		calls []state.ToolCall
		want  model.Stop
	}{
		"nothing":  {nil, model.StopEnd},
		"no calls": {[]state.ToolCall{}, model.StopEnd},
		"a call":   {[]state.ToolCall{{Name: "look"}}, model.StopCalls},
	} {
		t.Run(name, func(t *testing.T) {
			m := model.Func(func(context.Context, *model.Request) (*model.Response, error) {
				return &model.Response{Message: state.Message{ToolCalls: c.calls}}, nil
			})
			got, err := model.Collect(m.Stream(t.Context(), ask("?")), nil)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Stop)
		})
	}
}

func TestFuncErrors(t *testing.T) {
	none := model.Func(func(context.Context, *model.Request) (*model.Response, error) { return nil, nil })
	_, err := model.Collect(none.Stream(t.Context(), ask("?")), nil)
	require.ErrorIs(t, err, model.Malformed)

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	heedful := model.Func(func(ctx context.Context, _ *model.Request) (*model.Response, error) { return nil, ctx.Err() })
	_, err = model.Collect(heedful.Stream(ctx, ask("?")), nil)
	require.Equal(t, enough, err)
}

func TestUsage(t *testing.T) {
	u := model.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}
	require.Equal(t, model.Usage{Input: 2, Output: 4, CacheRead: 6, CacheWrite: 8, Reasoning: 10}, u.Plus(u))
	require.Equal(t, 3, u.Total())
}

func TestChoiceNamed(t *testing.T) {
	for _, c := range []model.Choice{model.ChoiceAuto, model.ChoiceNone, model.ChoiceRequired} {
		_, ok := c.Named()
		require.False(t, ok, c)
	}
	tool, ok := model.Choice("look").Named()
	require.True(t, ok)
	require.Equal(t, "look", tool)
}
