package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// RunSwaps checks that memories which open makes keep the contract of
// checkpoint.Swapper, by the clock that open gets. Each subtest calls open once,
// for an empty memory; closing it is for open to arrange, by t.Cleanup.
func RunSwaps(t *testing.T, open func(t *testing.T, clock *Clock) checkpoint.Swapper) {
	t.Helper()
	for _, c := range swapChecks() {
		t.Run(c.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			clock := NewClock(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC))
			items := open(t, clock)
			c.run(&shelf{TestingT: t, ctx: ctx, items: items, clock: clock}, items)
		})
	}
}

type swapCheck struct {
	name string
	run  func(s *shelf, items checkpoint.Swapper)
}

func swapChecks() []swapCheck {
	return []swapCheck{
		{"swap/only what is there", swapThere},
		{"swap/what is over is not there", swapOver},
		{"swap/bad ones are refused, and contexts that have ended", swapRefused},
		{"swap/many at once lose nothing", swapCrowd},
	}
}

func (s *shelf) holds(value string) {
	got, err := s.items.Get(s.ctx, []string{"a"}, "k")
	require.NoError(s, err)
	require.Equal(s, value, string(got.Value))
}

func swapThere(s *shelf, items checkpoint.Swapper) {
	item := checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`{"n":1}`)}
	require.ErrorIs(s, items.Swap(s.ctx, item, []byte(`{"n":0}`)), checkpoint.ErrConflict, "there is none")
	s.missing([]string{"a"}, "k")
	require.NoError(s, items.Swap(s.ctx, item, nil))
	require.ErrorIs(s, items.Swap(s.ctx, item, nil), checkpoint.ErrConflict, "there is one")
	first, err := items.Get(s.ctx, item.NS, item.Key)
	require.NoError(s, err)
	s.clock.Advance(time.Second)
	item.Value = []byte(`2`)
	require.ErrorIs(s, items.Swap(s.ctx, item, []byte(`{"n": 1}`)), checkpoint.ErrConflict, "other bytes")
	s.holds(`{"n":1}`)
	require.NoError(s, items.Swap(s.ctx, item, []byte(`{"n":1}`)))
	s.holds(`2`)
	second, err := items.Get(s.ctx, item.NS, item.Key)
	require.NoError(s, err)
	require.True(s, second.Created.Equal(first.Created))
	require.True(s, second.Updated.After(first.Updated))
	s.put("a", "k", `3`)
	require.ErrorIs(s, items.Swap(s.ctx, item, []byte(`2`)), checkpoint.ErrConflict, "Put came between")
	require.NoError(s, items.Delete(s.ctx, item.NS, item.Key))
	require.ErrorIs(s, items.Swap(s.ctx, item, []byte(`3`)), checkpoint.ErrConflict, "it was deleted")
	require.NoError(s, items.Swap(s.ctx, item, nil))
}

func swapOver(s *shelf, items checkpoint.Swapper) {
	item := checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`1`), TTL: time.Minute}
	require.NoError(s, items.Swap(s.ctx, item, nil))
	s.clock.Advance(time.Minute)
	require.ErrorIs(s, items.Swap(s.ctx, item, []byte(`1`)), checkpoint.ErrConflict)
	require.NoError(s, items.Swap(s.ctx, item, nil))
	s.holds(`1`)
}

func swapRefused(s *shelf, items checkpoint.Swapper) {
	require.ErrorIs(s, items.Swap(s.ctx, checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`{`)}, nil), checkpoint.ErrInvalid)
	require.ErrorIs(s, items.Swap(s.ctx, checkpoint.Item{NS: []string{"a"}, Value: []byte(`1`)}, nil), checkpoint.ErrInvalid)
	ctx, stop := context.WithCancel(s.ctx)
	stop()
	require.ErrorIs(s, items.Swap(ctx, checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`1`)}, nil), context.Canceled)
	s.finds(checkpoint.ItemQuery{})
}

func swapCrowd(s *shelf, items checkpoint.Swapper) {
	s.put("a", "k", `0`)
	together(s, 8, func(int) error {
		for n := 0; n < 10; {
			item, err := items.Get(s.ctx, []string{"a"}, "k")
			if err != nil {
				return err
			}
			count, err := strconv.Atoi(string(item.Value))
			if err != nil {
				return err
			}
			old := item.Value
			item.Value = fmt.Append(nil, count+1)
			switch err := items.Swap(s.ctx, item, old); {
			case err == nil:
				n++
			case !errors.Is(err, checkpoint.ErrConflict):
				return err
			}
		}
		return nil
	})
	s.holds(`80`)
}
