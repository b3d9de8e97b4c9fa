package checkpointtest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// brokenItems is a memory with one fault.
type brokenItems struct {
	checkpoint.Items
	put    func(items checkpoint.Items, item checkpoint.Item) error
	search func(items checkpoint.Items, q checkpoint.ItemQuery) ([]checkpoint.Item, error)
	del    func() error
	deaf   bool
}

func (b *brokenItems) ctx(ctx context.Context) context.Context {
	if b.deaf {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

func (b *brokenItems) Put(ctx context.Context, item checkpoint.Item) error {
	if b.put != nil {
		return b.put(b.Items, item)
	}
	return b.Items.Put(b.ctx(ctx), item)
}

func (b *brokenItems) Get(ctx context.Context, ns []string, key string) (checkpoint.Item, error) {
	return b.Items.Get(b.ctx(ctx), ns, key)
}

func (b *brokenItems) Search(ctx context.Context, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
	if b.search != nil {
		return b.search(b.Items, q)
	}
	return b.Items.Search(b.ctx(ctx), q)
}

func (b *brokenItems) Delete(ctx context.Context, ns []string, key string) error {
	if b.del != nil {
		return b.del()
	}
	return b.Items.Delete(b.ctx(ctx), ns, key)
}

// judgeItems runs one of the suite's checks on a memory that open makes.
func judgeItems(t *testing.T, name string, spoil func(items checkpoint.Items) checkpoint.Items) []string {
	all := append(itemChecks(), ttlChecks()...)
	i := slices.IndexFunc(all, func(c itemCheck) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "the suite has no check %q", name)
	clock := NewClock(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC))
	items := checkpoint.NewMemoryItems(&checkpoint.MemoryConfig{Now: clock.Now})
	return outcome(func(r *recorder) {
		all[i].run(&shelf{TestingT: r, ctx: t.Context(), items: spoil(items), clock: clock})
	})
}

// asking changes what is asked of Search.
func asking(f func(q *checkpoint.ItemQuery)) *brokenItems {
	return &brokenItems{search: func(items checkpoint.Items, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
		f(&q)
		return items.Search(context.Background(), q)
	}}
}

// putting changes what is put.
func putting(f func(i *checkpoint.Item)) *brokenItems {
	return &brokenItems{put: func(items checkpoint.Items, item checkpoint.Item) error {
		f(&item)
		return items.Put(context.Background(), item)
	}}
}

func TestTheSuiteSeesFaultsOfItems(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, f := range []struct {
		name   string
		broken *brokenItems
		seen   []string
	}{
		{"filters are passed over", asking(func(q *checkpoint.ItemQuery) { q.Filter = nil }), []string{"items/search by members", "items/search with a filter that is no JSON"}},
		{"prefixes are passed over", asking(func(q *checkpoint.ItemQuery) { q.Prefix = nil }), []string{"items/search in order, by the parts of a namespace"}},
		{"there are no pages", asking(func(q *checkpoint.ItemQuery) { q.Limit = 0 }), []string{"items/search a page at a time"}},
		{"every page is the first", asking(func(q *checkpoint.ItemQuery) { q.After = nil }), []string{"items/search a page at a time"}},
		{"pages end before the filter", &brokenItems{search: func(items checkpoint.Items, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
			all, err := items.Search(ctx, checkpoint.ItemQuery{Prefix: q.Prefix, After: q.After, Limit: q.Limit})
			if err != nil {
				return nil, err
			}
			filter, err := checkpoint.NewFilter(q.Filter)
			return slices.DeleteFunc(all, func(i checkpoint.Item) bool { return !filter.Fits(i.Value) }), err
		}}, []string{"items/search a page at a time"}},
		{"found in no order", &brokenItems{search: func(items checkpoint.Items, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
			all, err := items.Search(ctx, q)
			slices.Reverse(all)
			return all, err
		}}, []string{"items/search in order, by the parts of a namespace"}},
		{"parts run into one", putting(func(i *checkpoint.Item) { i.NS = strings.Split(strings.Join(i.NS, "/"), "/") }), []string{"items/names do not meet"}},
		{"values are written anew", putting(func(i *checkpoint.Item) {
			var v any
			if json.Unmarshal(i.Value, &v) == nil {
				i.Value, _ = json.Marshal(v)
			}
		}), []string{"items/what was put comes back"}},
		{"items live for ever", putting(func(i *checkpoint.Item) { i.TTL = 0 }), []string{"time/items live as long as was said", "time/what is over is not found, listed or counted"}},
		{"bad ones are taken", &brokenItems{put: func(items checkpoint.Items, i checkpoint.Item) error { _ = items.Put(ctx, i); return nil }}, []string{"items/bad ones are refused"}},
		{"replacing begins anew", &brokenItems{put: func(items checkpoint.Items, i checkpoint.Item) error {
			if err := checkpoint.CheckItem(&i); err != nil {
				return err
			}
			_ = items.Delete(ctx, i.NS, i.Key)
			return items.Put(ctx, i)
		}}, []string{"time/created and updated", "time/put begins a life anew"}},
		{"nothing is deleted", &brokenItems{del: func() error { return nil }}, []string{"items/delete", "items/many at once"}},
		{"contexts are not heard", &brokenItems{deaf: true}, []string{"items/contexts that have ended"}},
	} {
		for _, name := range f.seen {
			failures := judgeItems(t, name, func(items checkpoint.Items) checkpoint.Items {
				f.broken.Items = items
				return f.broken
			})
			require.NotEmpty(t, failures, "%q does not see that %s", name, f.name)
		}
	}
}

func TestTheSuitePassesItemsThatAreSound(t *testing.T) {
	t.Parallel()
	for _, c := range append(itemChecks(), ttlChecks()...) {
		require.Empty(t, judgeItems(t, c.name, func(items checkpoint.Items) checkpoint.Items { return items }), c.name)
	}
}
