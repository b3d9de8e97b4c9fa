package sealed_test

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sealed"
)

func ExampleNew() {
	ctx := context.Background()
	inner := checkpoint.NewMemory(nil)
	store, err := sealed.New(inner, &sealed.Config{
		Key:  "2026-02",
		Keys: map[string][]byte{"2026-02": make([]byte, sealed.KeySize)}, // random bytes, in earnest
	})
	must(err)
	w, err := store.Claim(ctx, "t", checkpoint.Reject)
	must(err)
	defer w.Release()
	must(w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1, Body: []byte("a secret")}}}}))
	for _, s := range []checkpoint.Store{inner, store} {
		l, err := s.Load(ctx, checkpoint.Log{Thread: "t"}, 1)
		must(err)
		fmt.Println(string(l.Commits[0].Body) == "a secret")
	}
	// Output:
	// false
	// true
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
