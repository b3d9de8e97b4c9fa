package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// spoken is a value whose lines have the type that it says.
type spoken struct {
	Text string `json:"text"`
	as   string
}

func (s spoken) LineType() string { return s.as }

// emitter compiles a graph whose node a emits a value.
func emitter(t *testing.T, value any) *graph.Graph[Page] {
	return pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, _ Page) (pageCmd, error) {
			return pageCmd{}, graph.Emit(ctx, value)
		}})
	})
}

func TestEmittedValuesWithATypeOfTheirOwn(t *testing.T) {
	for name, c := range map[string]struct {
		value      any
		kind, line string
	}{
		"typed":     {spoken{"hi", "chat_token"}, "chat_token", `{"v":1,"type":"chat_token","ns":[],"pos":[1,1,1],"step":1,"node":"a","data":{"text":"hi"}}`},
		"pointer":   {&spoken{"hi", "_"}, "_", `{"v":1,"type":"_","ns":[],"pos":[1,1,1],"step":1,"node":"a","data":{"text":"hi"}}`},
		"not typed": {"hi", "custom", `{"v":1,"type":"custom","ns":[],"pos":[1,1,1],"step":1,"node":"a","data":"hi"}`},
		"nil":       {nil, "custom", `{"v":1,"type":"custom","ns":[],"pos":[1,1,1],"step":1,"node":"a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for e, err := range graph.Customs(emitter(t, c.value).Stream(t.Context(), nil, nil)) {
				require.NoError(t, err)
				require.Equal(t, c.kind, e.Type)
				require.Equal(t, c.value, e.Value)
				line, err := graph.AppendLines(nil, e)
				require.NoError(t, err)
				require.Equal(t, c.line+"\n", string(line))
				n++
			}
			require.Equal(t, 1, n)
		})
	}
}

func TestTypesThatNoLineOfAnEmittedValueHas(t *testing.T) {
	own := []string{
		"values", "updates", "interrupt", "error", "done", "dropped", "custom", "step", "task", "retry", "task_error",
		"debug_values", "debug_done", "debug_", "debug_later",
	}
	for _, kind := range append(own, "", "Token", "token1", "two words", "über", "a\n", "a-b") {
		g := emitter(t, spoken{as: kind})
		for _, run := range []func() error{
			func() error { _, err := g.Invoke(t.Context(), nil, nil); return err },
			func() (last error) {
				for _, err := range g.Stream(t.Context(), nil, nil) {
					last = err
				}
				return last
			},
		} {
			err := run()
			require.ErrorIs(t, err, graph.ErrLineType, kind)
			var placed *graph.Error
			require.ErrorAs(t, err, &placed)
			require.Equal(t, "a", placed.Node)
			require.Equal(t, graph.KindNode, placed.Kind())
		}
	}
	require.NotErrorIs(t, graph.Emit(context.Background(), spoken{as: "done"}), graph.ErrLineType, "outside of a task that is what is wrong")
}

// Every type that a line of the log has is refused for emitted values.
func TestTypesOfTheLogAreItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range []*graph.Graph[Page]{busy(t), emitter(t, spoken{as: "done"})} {
		events, _ := collect(g, nil)
		for _, e := range append(events, &graph.Asked{}, &graph.Dropped{}) {
			text, err := graph.AppendDebugLines(nil, e)
			require.NoError(t, err)
			dec := json.NewDecoder(bytes.NewReader(text))
			for dec.More() {
				var line struct{ Type string }
				require.NoError(t, dec.Decode(&line))
				seen[line.Type] = true
			}
		}
	}
	require.Len(t, seen, 13)
	for kind := range seen {
		_, err := emitter(t, spoken{as: kind}).Invoke(t.Context(), nil, nil)
		require.ErrorIs(t, err, graph.ErrLineType, kind)
	}
}
