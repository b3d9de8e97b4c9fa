package graph_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// said makes a row for each new text of a chat.
func said(before, after desk) (rows []checkpoint.Row) {
	for i := len(before.Log); i < len(after.Log); i++ {
		rows = append(rows, checkpoint.Row{
			Table: "said", Key: fmt.Sprint(i),
			Columns: []checkpoint.Column{{Name: "place", Value: int64(i)}, {Name: "text", Value: after.Log[i]}},
		})
	}
	return rows
}

// talk runs a graph with an index on two threads of a file.
func talk(ctx context.Context, path string) error {
	store, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	b := graph.New(deskSchema)
	b.AddNode("answer", func(_ context.Context, d desk) (graph.Command[desk], error) {
		return deskCmd.Update(deskLog.Append("why " + d.Log[len(d.Log)-1] + "?")), nil
	}, nil)
	b.AddEdge(graph.Start, "answer")
	b.AddIndex(said)
	g, err := b.Compile(&graph.Config{Store: store})
	if err != nil {
		return err
	}
	for _, name := range []string{"ada", "bob"} {
		if _, err := g.Invoke(ctx, graph.Input(deskLog.Append("tea for "+name)), &graph.RunConfig{Thread: name}); err != nil {
			return err
		}
	}
	return nil
}

// What was said in all threads is there for SQL. It is written together with
// the steps that said it.
func ExampleBuilder_AddIndex() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "threads.db")
	if err := talk(context.Background(), path); err != nil {
		log.Fatal(err)
	}

	db, err := sql.Open("sqlite", path)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT thread, text FROM said ORDER BY thread, place`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var thread, text string
		if err := rows.Scan(&thread, &text); err != nil {
			log.Fatal(err)
		}
		fmt.Println(thread, text)
	}
	// Output:
	// ada tea for ada
	// ada why tea for ada?
	// bob tea for bob
	// bob why tea for bob?
}

// token is a piece of a model's answer.
type token string

// LineType gives lines of tokens a type that readers can tell from others.
func (token) LineType() string { return "model_token" }

// A Typed value has JSON lines of its own type.
func ExampleTyped() {
	b := graph.New(deskSchema)
	b.AddNode("model", func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		return deskCmd.Update(), graph.Emit(ctx, token("tea"))
	}, nil)
	b.AddEdge(graph.Start, "model")
	for c, err := range graph.Customs(compiled(b, nil).Stream(context.Background(), nil, nil)) {
		if err != nil {
			log.Fatal(err)
		}
		line, _ := graph.AppendLines(nil, c)
		var read struct{ Type, Node, Data string }
		_ = json.Unmarshal(line, &read)
		fmt.Println(c.Type, read)
	}
	// Output: model_token {model_token model tea}
}
