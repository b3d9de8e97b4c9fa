package checkpointtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/stretchr/testify/require"
)

func TestFailingIsAStoreLikeTheOneWithin(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(*testing.T) checkpoint.Store {
		return checkpointtest.NewFailing(checkpoint.NewMemory(nil))
	})
}

// program uses every method of a store, and goes on after failures.
func program(t *testing.T, s checkpoint.Store) (errs []error) {
	ctx := t.Context()
	w, err := s.Claim(ctx, "t", checkpoint.Reject)
	errs = append(errs, err)
	c := checkpoint.Commit{Seq: 1, Base: 1}
	if w != nil {
		errs = append(errs, w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{c}}}), w.Prune(ctx, "", &c), w.Release())
	}
	_, err = s.Load(ctx, checkpoint.Log{Thread: "t"}, 0)
	errs = append(errs, err)
	_, err = s.List(ctx, checkpoint.Query{Log: checkpoint.Log{Thread: "t"}})
	errs = append(errs, err)
	_, err = s.Logs(ctx, checkpoint.LogQuery{})
	return append(errs, err, s.Copy(ctx, "t", "u"), s.Delete(ctx, "u"))
}

func TestEveryCallCanFail(t *testing.T) {
	t.Parallel()
	calls := []string{"Claim", "Append", "Prune", "Release", "Load", "List", "Logs", "Copy", "Delete"}
	injected := errors.New("the disk is gone")
	for n, name := range calls {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s after=%v", name, after), func(t *testing.T) {
				t.Parallel()
				m := checkpoint.NewMemory(nil)
				f := checkpointtest.NewFailing(m)
				f.FailAt(n+1, injected, after)
				errs := program(t, f)
				require.ErrorIs(t, errs[n], injected)
				require.Equal(t, name, f.Calls()[n])
				require.Equal(t, len(f.Calls()), f.Count())
				if name != "Claim" {
					require.Equal(t, calls, f.Calls())
				}
				carriedOut(t, m, name, after)
			})
		}
	}
}

func ExampleFailing() {
	ctx := context.Background()
	lost := errors.New("the answer got lost")
	store := checkpointtest.NewFailing(checkpoint.NewMemory(nil))
	store.FailAt(2, lost, true)
	w, _ := store.Claim(ctx, "t", checkpoint.Reject)
	err := w.Append(ctx, []checkpoint.Part{{Commits: []checkpoint.Commit{{Seq: 1, Base: 1}}}})
	fmt.Println(err)
	loaded, _ := store.Load(ctx, checkpoint.Log{Thread: "t"}, 0)
	fmt.Println("head", loaded.Head)
	fmt.Println(store.Calls())
	// Output:
	// the answer got lost
	// head 1
	// [Claim Append Load]
}

// carriedOut checks whether the call that failed reached the store.
func carriedOut(t *testing.T, m *checkpoint.Memory, name string, after bool) {
	ctx := t.Context()
	l, err := m.Load(ctx, checkpoint.Log{Thread: "t"}, 0)
	require.NoError(t, err)
	u, err := m.Load(ctx, checkpoint.Log{Thread: "u"}, 0)
	require.NoError(t, err)
	w, err := m.Claim(ctx, "t", checkpoint.Reject)
	switch name {
	case "Claim":
		require.NoError(t, err, "nobody has the writer, so nobody could release it")
		require.NoError(t, w.Release())
	case "Append":
		require.Equal(t, after, l.Head == 1)
	case "Release":
		require.Equal(t, after, err == nil)
	case "Delete":
		require.Equal(t, after, u.Head == 0)
	}
}
