package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	s, err := sqlite.Open(ctx, filepath.Join(dir, "threads.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	w, err := s.Claim(ctx, "ada", checkpoint.Reject)
	if err != nil {
		log.Fatal(err)
	}
	_, err = s.Claim(ctx, "ada", checkpoint.Reject)
	fmt.Println("claimed again:", errors.Is(err, checkpoint.ErrBusy))

	whole := checkpoint.Commit{Seq: 1, Base: 1, Source: "input", Body: []byte(`{"n":1}`)}
	change := checkpoint.Commit{Seq: 2, Parent: 1, Base: 1, Step: 1, Source: "loop", Body: []byte(`n=2`)}
	err = w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{whole, change}}})
	if err != nil {
		log.Fatal(err)
	}
	err = w.Append(ctx, []checkpoint.Part{{Head: 1, Commits: []checkpoint.Commit{change}}})
	fmt.Println(err)
	if err := w.Release(); err != nil {
		log.Fatal(err)
	}

	l, err := s.Load(ctx, checkpoint.Log{Thread: "ada"}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range l.Commits {
		fmt.Printf("%d %s %s\n", c.Seq, c.Source, c.Body)
	}
	// Output:
	// claimed again: true
	// sqlite: thread "ada", namespace "": head is 2, not 1: the log has moved on
	// 1 input {"n":1}
	// 2 loop n=2
}

// Index rows are for questions that people ask in SQL.
func Example_index() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := filepath.Join(dir, "threads.db")

	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	w, err := s.Claim(ctx, "ada", checkpoint.Reject)
	if err != nil {
		log.Fatal(err)
	}
	err = w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1, Index: []checkpoint.Row{{
		Table: "handoffs", Key: "1",
		Columns: []checkpoint.Column{{Name: "sender", Value: "triage"}, {Name: "receiver", Value: "billing"}},
	}}}}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Release(); err != nil {
		log.Fatal(err)
	}

	db, err := sql.Open("sqlite", path)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	var thread, sender, receiver string
	if err := db.QueryRow(`SELECT thread, sender, receiver FROM handoffs`).Scan(&thread, &sender, &receiver); err != nil {
		log.Fatal(err)
	}
	fmt.Println(thread, sender, receiver)
	// Output: ada triage billing
}

func ExampleStore_Items() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	s, err := sqlite.Open(ctx, filepath.Join(dir, "threads.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	memory := s.Items()
	for _, name := range []string{"ada", "bob"} {
		item := checkpoint.Item{NS: []string{"users", name}, Key: "profile", Value: fmt.Appendf(nil, `{"name": %q, "tier": 1.0}`, name)}
		if err := memory.Put(ctx, item); err != nil {
			log.Fatal(err)
		}
	}
	found, err := memory.Search(ctx, checkpoint.ItemQuery{
		Prefix: []string{"users"}, Filter: map[string][]byte{"name": []byte(`"bob"`), "tier": []byte(`1`)},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range found {
		fmt.Println(item.NS, item.Key, string(item.Value))
	}
	// Output: [users bob] profile {"name": "bob", "tier": 1.0}
}
