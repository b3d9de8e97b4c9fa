package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// must ends an example that goes wrong.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func Example() {
	ctx := context.Background()
	store := checkpoint.NewMemory(nil)
	w, err := store.Claim(ctx, "order 7", checkpoint.Reject)
	must(err)
	defer w.Release()
	must(w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{
		{Seq: 1, Base: 1, Source: "input", Body: []byte(`{"total":0}`)},
		{Seq: 2, Base: 1, Parent: 1, Step: 1, Source: "loop", Body: []byte(`total += 90`)},
	}}}))
	loaded, err := store.Load(ctx, checkpoint.Log{Thread: "order 7"}, 0)
	must(err)
	for _, c := range loaded.Commits {
		fmt.Println(c.Seq, c.Source, string(c.Body))
	}
	// Output:
	// 1 input {"total":0}
	// 2 loop total += 90
}

// Who appends behind another head than the log's is told so, and nothing is
// written.
func Example_conflict() {
	ctx := context.Background()
	store := checkpoint.NewMemory(nil)
	w, err := store.Claim(ctx, "t", checkpoint.Reject)
	must(err)
	defer w.Release()
	must(w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1}}}}))
	err = w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1}}}})
	fmt.Println(errors.Is(err, checkpoint.ErrConflict))
	fmt.Println(err)
	// Output:
	// true
	// checkpoint: thread "t", namespace "": the log has moved on: its head is 1, not 0
}

// What is pending is kept behind the head until the next commit.
func ExamplePending() {
	ctx := context.Background()
	store := checkpoint.NewMemory(nil)
	w, err := store.Claim(ctx, "t", checkpoint.Reject)
	must(err)
	defer w.Release()
	pending := func() {
		l, err := store.Load(ctx, checkpoint.Log{Thread: "t"}, 0)
		must(err)
		fmt.Printf("behind %d: %d pending\n", l.Head, len(l.Pending))
	}
	must(w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1}}}}))
	must(w.Append(ctx, []checkpoint.Part{{Head: 1, Pending: []checkpoint.Pending{{Key: "task 0", Body: []byte("done")}}}}))
	pending()
	must(w.Append(ctx, []checkpoint.Part{{Head: 1, Commits: []checkpoint.Commit{{Seq: 2, Base: 1}}}}))
	pending()
	// Output:
	// behind 1: 1 pending
	// behind 2: 0 pending
}

// A writer who is taken over from can write nothing more.
func ExampleStore_takeOver() {
	ctx := context.Background()
	store := checkpoint.NewMemory(nil)
	old, err := store.Claim(ctx, "t", checkpoint.Reject)
	must(err)
	go func() {
		<-old.Lost()
		fmt.Println(old.Append(ctx, nil))
		must(old.Release())
	}()
	w, err := store.Claim(ctx, "t", checkpoint.TakeOver)
	must(err)
	fmt.Println("taken over")
	must(w.Release())
	// Output:
	// checkpoint: thread "t": the thread was taken over by another writer
	// taken over
}

func ExampleChild() {
	ns := checkpoint.Child("", 4, 0) // the first task behind commit 4
	deeper := checkpoint.Child(ns, 2, 1)
	seq, ok := checkpoint.Within("", deeper)
	fmt.Println(ns, deeper, seq, ok)
	// Output: 4.0 4.0/2.1 4 true
}

func ExampleMemoryItems() {
	ctx := context.Background()
	items := checkpoint.NewMemoryItems(nil)
	ada := []string{"users", "ada"}
	must(items.Put(ctx, checkpoint.Item{NS: ada, Key: "tea", Value: []byte(`{"kind":"likes","what":"tea"}`)}))
	must(items.Put(ctx, checkpoint.Item{NS: ada, Key: "rain", Value: []byte(`{"kind":"fears","what":"rain"}`), TTL: time.Hour}))
	found, err := items.Search(ctx, checkpoint.ItemQuery{
		Prefix: []string{"users"},
		Filter: map[string][]byte{"kind": []byte(`"likes"`)},
	})
	must(err)
	for _, item := range found {
		fmt.Println(item.NS, item.Key, string(item.Value))
	}
	// Output: [users ada] tea {"kind":"likes","what":"tea"}
}
