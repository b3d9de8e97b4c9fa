package graph_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Version 0 of the state holds a name in one text.
type oldPerson struct {
	Name  string   `json:"name"`
	Notes []string `json:"notes"`
}

// Version 1 holds it in two.
type newPerson struct {
	First string   `json:"first"`
	Last  string   `json:"last"`
	Notes []string `json:"notes"`
}

// unmigratedGraph notes and then asks; it is what a deployment ran yesterday.
func unmigratedGraph(t *testing.T, store checkpoint.Store) (*graph.Graph[oldPerson], *state.Value[oldPerson, string]) {
	name := state.NewValue("name", func(p *oldPerson) *string { return &p.Name })
	notes := state.NewList("notes", func(p *oldPerson) *[]string { return &p.Notes })
	var cmd graph.Commands[oldPerson]
	b := graph.New(state.MustSchema(name, notes))
	b.AddNode("note", func(_ context.Context, p oldPerson) (graph.Command[oldPerson], error) {
		return cmd.Update(notes.Append("met " + p.Name)), nil
	}, nil)
	b.AddNode("ask", func(ctx context.Context, _ oldPerson) (graph.Command[oldPerson], error) {
		_, err := graph.Interrupt[string](ctx, "more", "more?")
		return cmd.Update(), err
	}, nil)
	b.AddEdge(graph.Start, "note")
	b.AddEdge("note", "ask")
	g, err := b.Compile(&graph.Config{Store: store})
	require.NoError(t, err)
	return g, name
}

func migratedGraph(t *testing.T, store checkpoint.Store, evolution graph.Evolution) *graph.Graph[newPerson] {
	first := state.NewValue("first", func(p *newPerson) *string { return &p.First })
	last := state.NewValue("last", func(p *newPerson) *string { return &p.Last })
	notes := state.NewList("notes", func(p *newPerson) *[]string { return &p.Notes })
	schema := state.MustSchema(first, last, notes).Versioned(1, map[int]state.Migration{
		0: func(fields map[string]json.RawMessage) error {
			var name string
			if err := json.Unmarshal(fields["name"], &name); err != nil {
				return err
			}
			delete(fields, "name")
			fields["first"], fields["last"] = json.RawMessage(`"`+name[:3]+`"`), json.RawMessage(`"`+name[4:]+`"`)
			return nil
		},
	})
	var cmd graph.Commands[newPerson]
	b := graph.New(schema)
	b.AddNode("note", func(_ context.Context, p newPerson) (graph.Command[newPerson], error) {
		return cmd.Update(notes.Append("met " + p.First)), nil
	}, nil)
	b.AddNode("ask", func(ctx context.Context, p newPerson) (graph.Command[newPerson], error) {
		answer, err := graph.Interrupt[string](ctx, "more", "more?")
		if err != nil {
			return cmd.Update(), err
		}
		return cmd.Update(notes.Append(p.Last + " " + answer)), nil
	}, nil)
	b.AddEdge(graph.Start, "note")
	b.AddEdge("note", "ask")
	g, err := b.Compile(&graph.Config{Store: store, Evolution: evolution})
	require.NoError(t, err)
	return g
}

func TestAThreadOfAnOlderSchemaIsMigrated(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), checkpoint.NewMemory(nil)
	cfg := &graph.RunConfig{Thread: "ada"}
	old, name := unmigratedGraph(t, store)
	_, err := old.Invoke(ctx, graph.Input(name.Set("Ada Lovelace")), cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)

	changed := migratedGraph(t, store, graph.Evolution{})
	_, err = changed.Resume(ctx, graph.Answer("numbers"), cfg)
	require.ErrorIs(t, err, graph.ErrChanged, "a question is open, and nobody said that the change is fine")
	require.ErrorContains(t, err, `field "first" is new`)
	require.ErrorContains(t, err, `field "name" is gone`)

	fine := migratedGraph(t, store, graph.Evolution{Any: true})
	out, err := fine.Resume(ctx, graph.Answers{}, cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Len(t, out.Interrupts, 1)
	out, err = fine.Resume(ctx, graph.Answer("numbers"), cfg)
	require.NoError(t, err)
	require.Equal(t, newPerson{"Ada", "Lovelace", []string{"met Ada Lovelace", "Lovelace numbers"}}, out.State)

	var values []newPerson
	for s, err := range fine.History(ctx, "ada", nil) {
		require.NoError(t, err)
		values = append(values, s.Values)
	}
	require.Equal(t, []newPerson{
		{"Ada", "Lovelace", []string{"met Ada Lovelace", "Lovelace numbers"}},
		{"Ada", "Lovelace", []string{"met Ada Lovelace"}},
		{"Ada", "Lovelace", []string{}},
	}, values, "older checkpoints are migrated as they are read")

	_, err = old.State(ctx, "ada", "")
	require.ErrorContains(t, err, "version", "an older program cannot read what a newer one wrote")
}
