package checkpointtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// RunItems checks that memories which open makes keep the contract of
// checkpoint.Items, one subtest for each thing that is proved. Each calls open
// once, for an empty memory; closing it is for open to arrange, by t.Cleanup.
func RunItems(t *testing.T, open func(t *testing.T) checkpoint.Items) {
	t.Helper()
	for _, c := range itemChecks() {
		t.Run(c.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			c.run(&shelf{TestingT: t, ctx: ctx, items: open(t)})
		})
	}
}

// RunItemsTTL checks that the time of items runs out by the clock that open
// gets, and that times are told by it.
func RunItemsTTL(t *testing.T, open func(t *testing.T, clock *Clock) checkpoint.Items) {
	t.Helper()
	for _, c := range ttlChecks() {
		t.Run(c.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			clock := NewClock(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC))
			c.run(&shelf{TestingT: t, ctx: ctx, items: open(t, clock), clock: clock})
		})
	}
}

// itemCheck is one thing that memories must do.
type itemCheck struct {
	name string
	run  func(s *shelf)
}

// shelf is a memory on which a check works, and where failures are told.
type shelf struct {
	require.TestingT
	ctx   context.Context
	items checkpoint.Items
	clock *Clock // nil unless time is checked
}

func itemChecks() []itemCheck {
	return []itemCheck{
		{"items/what was put comes back", itemsBack},
		{"items/put replaces", itemsReplace},
		{"items/delete", itemsDelete},
		{"items/bad ones are refused", itemsRefused},
		{"items/names do not meet", itemsApart},
		{"items/search in order, by the parts of a namespace", itemsPrefix},
		{"items/search by members", itemsFilter},
		{"items/search with a filter that is no JSON", itemsBadFilter},
		{"items/search a page at a time", itemsPages},
		{"items/what a reader got stays as it was", itemsStay},
		{"items/many at once", itemsCrowd},
		{"items/contexts that have ended", itemsContext},
	}
}

// put stores an item whose namespace is given with slashes.
func (s *shelf) put(path, key, value string) {
	err := s.items.Put(s.ctx, checkpoint.Item{NS: strings.Split(path, "/"), Key: key, Value: []byte(value)})
	require.NoError(s, err, "storing %s, %s", path, key)
}

func (s *shelf) search(q checkpoint.ItemQuery) []checkpoint.Item {
	items, err := s.items.Search(s.ctx, q)
	require.NoError(s, err)
	return items
}

// finds checks what a query finds, as "namespace:key", in order.
func (s *shelf) finds(q checkpoint.ItemQuery, want ...string) {
	var got []string
	for _, item := range s.search(q) {
		got = append(got, strings.Join(item.NS, "/")+":"+item.Key)
	}
	require.Equal(s, want, got, "what is below %q and fits %q", q.Prefix, q.Filter)
}

func itemsBack(s *shelf) {
	ns := []string{"users", "ada"}
	err := s.items.Put(s.ctx, checkpoint.Item{NS: ns, Key: "k", Value: []byte(`{"b": 1, "a":[null,true,"ä\u0000"]}`), Created: time.Unix(1, 0), Updated: time.Unix(2, 0), Expires: time.Unix(3, 0)})
	require.NoError(s, err)
	got, err := s.items.Get(s.ctx, ns, "k")
	require.NoError(s, err)
	require.Equal(s, ns, got.NS)
	require.Equal(s, "k", got.Key)
	require.JSONEq(s, `{"b": 1, "a":[null,true,"ä\u0000"]}`, string(got.Value))
	require.True(s, got.Created.After(time.Unix(3, 0)), "Created is for the store to set, not %v", got.Created)
	require.True(s, got.Created.Equal(got.Updated))
	require.True(s, got.Expires.IsZero(), "an item without a TTL lives for ever, not until %v", got.Expires)
	require.Zero(s, got.TTL)
	for _, value := range []string{`null`, `0`, `"x"`, `[]`, `{}`, ` true `, `1e400`, `12345678901234567890`} {
		s.put("values", "v", value)
		got, err := s.items.Get(s.ctx, []string{"values"}, "v")
		require.NoError(s, err)
		require.Equal(s, strings.TrimSpace(value), strings.TrimSpace(string(got.Value)), "a value is kept as it is written")
	}
}

func itemsReplace(s *shelf) {
	s.put("a", "k", `1`)
	first, err := s.items.Get(s.ctx, []string{"a"}, "k")
	require.NoError(s, err)
	s.put("a", "k", `2`)
	second, err := s.items.Get(s.ctx, []string{"a"}, "k")
	require.NoError(s, err)
	require.Equal(s, `2`, string(second.Value))
	require.True(s, second.Created.Equal(first.Created), "replacing keeps Created: %v, not %v", second.Created, first.Created)
	require.False(s, second.Updated.Before(first.Updated))
	s.finds(checkpoint.ItemQuery{}, "a:k")
}

func (s *shelf) missing(ns []string, key string) {
	_, err := s.items.Get(s.ctx, ns, key)
	require.ErrorIs(s, err, checkpoint.ErrNotFound, "item %q, %q", ns, key)
}

func itemsDelete(s *shelf) {
	s.missing([]string{"a"}, "k")
	s.put("a", "k", `1`)
	s.put("a", "kk", `2`)
	s.put("a/k", "k", `3`)
	require.NoError(s, s.items.Delete(s.ctx, []string{"a"}, "k"))
	s.missing([]string{"a"}, "k")
	s.finds(checkpoint.ItemQuery{}, "a:kk", "a/k:k")
	require.NoError(s, s.items.Delete(s.ctx, []string{"a"}, "k"), "what is not there")
	require.NoError(s, s.items.Delete(s.ctx, []string{"nobody"}, "k"))
	s.put("a", "k", `4`)
	s.finds(checkpoint.ItemQuery{}, "a:k", "a:kk", "a/k:k")
}

func itemsRefused(s *shelf) {
	good := checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`1`)}
	for what, spoil := range map[string]func(i *checkpoint.Item){
		"no namespace":       func(i *checkpoint.Item) { i.NS = nil },
		"an empty part":      func(i *checkpoint.Item) { i.NS = []string{"a", ""} },
		"a NUL byte":         func(i *checkpoint.Item) { i.NS = []string{"a\x00b"} },
		"no key":             func(i *checkpoint.Item) { i.Key = "" },
		"no value":           func(i *checkpoint.Item) { i.Value = nil },
		"no JSON":            func(i *checkpoint.Item) { i.Value = []byte(`{"a":`) },
		"two values":         func(i *checkpoint.Item) { i.Value = []byte(`1 2`) },
		"a life below zero":  func(i *checkpoint.Item) { i.TTL = -time.Second },
		"nearly no life too": func(i *checkpoint.Item) { i.TTL = -1 },
	} {
		item := good
		spoil(&item)
		require.ErrorIs(s, s.items.Put(s.ctx, item), checkpoint.ErrInvalid, what)
	}
	s.finds(checkpoint.ItemQuery{})
	require.NoError(s, s.items.Put(s.ctx, good))
}

func itemsApart(s *shelf) {
	places := [][2]string{
		{"a", "b"}, {"a", "b\x00"}, {"a", "b/c"}, {"a!", "b"}, {"a%", "b"}, {"a'", "b"}, {"aa", "b"}, {"ä", "b"}, {"名前", "\U0001f600"}, {"\xff", "\xff"},
		{strings.Repeat("long", 500), strings.Repeat("key", 500)},
	}
	for i, p := range places {
		s.put(p[0], p[1], fmt.Sprint(i))
	}
	s.put("a/b", "c", `"deeper"`)
	for i, p := range places {
		got, err := s.items.Get(s.ctx, []string{p[0]}, p[1])
		require.NoError(s, err, "item %q", p)
		require.Equal(s, fmt.Sprint(i), string(got.Value), "item %q", p)
		require.Equal(s, p, [2]string{got.NS[0], got.Key})
	}
	slash := checkpoint.Item{NS: []string{"a/b"}, Key: "c", Value: []byte(`"a part with a slash"`)}
	require.NoError(s, s.items.Put(s.ctx, slash))
	got, err := s.items.Get(s.ctx, []string{"a", "b"}, "c")
	require.NoError(s, err)
	require.Equal(s, `"deeper"`, string(got.Value))
	require.Len(s, s.search(checkpoint.ItemQuery{}), len(places)+2)
}

func itemsPrefix(s *shelf) {
	for _, path := range []string{"users/bob", "users", "user", "users2", "users/ada", "users/ada/notes", "users/ada!", "zoo"} {
		s.put(path, "2", `2`)
		s.put(path, "1", `1`)
		s.put(path, "10", `10`)
	}
	three := func(paths ...string) (all []string) {
		for _, p := range paths {
			all = append(all, p+":1", p+":10", p+":2")
		}
		return all
	}
	s.finds(checkpoint.ItemQuery{}, three("user", "users", "users/ada", "users/ada/notes", "users/ada!", "users/bob", "users2", "zoo")...)
	s.finds(checkpoint.ItemQuery{Prefix: []string{"users"}}, three("users", "users/ada", "users/ada/notes", "users/ada!", "users/bob")...)
	s.finds(checkpoint.ItemQuery{Prefix: []string{"users", "ada"}}, three("users/ada", "users/ada/notes")...)
	s.finds(checkpoint.ItemQuery{Prefix: []string{"users", "a"}})
	s.finds(checkpoint.ItemQuery{Prefix: []string{"users/ada"}})
	s.finds(checkpoint.ItemQuery{Prefix: []string{"zoo"}}, three("zoo")...)
	s.finds(checkpoint.ItemQuery{Prefix: []string{"zzz"}})
}

func itemsFilter(s *shelf) {
	for key, value := range map[string]string{
		"1": `{"kind":"note","n":1,"deep":{"a":[1,{"b":2,"c":null}]}}`,
		"2": `{"n":1.0,"kind":"note","extra":true}`,
		"3": `{"kind":"Note","n":10e-1}`,
		"4": `{"kind":null,"n":"1"}`,
		"5": `[1]`,
		"6": `"note"`,
		"7": `{"n":2,"n":1,"kind":"n\u006fte"}`,
		"8": `{"big":12345678901234567890,"deep":{"a":[1,{"c":null,"b":2.0}]}}`,
	} {
		s.put("a", key, value)
	}
	for _, c := range []struct {
		filter map[string]string
		want   []string
	}{
		{map[string]string{"kind": `"note"`}, []string{"a:1", "a:2", "a:7"}},
		{map[string]string{"n": `1`}, []string{"a:1", "a:2", "a:3", "a:7"}},
		{map[string]string{"n": `0.1e1`, "kind": `"note"`}, []string{"a:1", "a:2", "a:7"}},
		{map[string]string{"n": `"1"`}, []string{"a:4"}},
		{map[string]string{"kind": `null`}, []string{"a:4"}},
		{map[string]string{"none": `null`}, nil},
		{map[string]string{"extra": `true`}, []string{"a:2"}},
		{map[string]string{"deep": `{"a":[1.0,{"c":null,"b":2}]}`}, []string{"a:1", "a:8"}},
		{map[string]string{"deep": `{"a":[{"b":2,"c":null},1]}`}, nil},
		{map[string]string{"big": `12345678901234567890`}, []string{"a:8"}},
		{map[string]string{"big": `12345678901234567891`}, nil},
		{map[string]string{"": `1`}, nil},
	} {
		filter := map[string][]byte{}
		for name, v := range c.filter {
			filter[name] = []byte(v)
		}
		s.finds(checkpoint.ItemQuery{Filter: filter}, c.want...)
		s.finds(checkpoint.ItemQuery{Filter: filter, Prefix: []string{"b"}})
	}
}

func itemsBadFilter(s *shelf) {
	s.put("a", "k", `{"n":1}`)
	for _, bad := range []string{"", "{", "note", "1 2"} {
		_, err := s.items.Search(s.ctx, checkpoint.ItemQuery{Filter: map[string][]byte{"n": []byte(bad)}})
		require.ErrorIs(s, err, checkpoint.ErrInvalid, "filter %q", bad)
	}
}

func itemsPages(s *shelf) {
	var want []string
	for i := range 10 {
		for _, path := range []string{"a", "a/b"} {
			s.put(path, fmt.Sprint(i), fmt.Sprintf(`{"even":%v}`, i%2 == 0))
		}
	}
	for _, path := range []string{"a", "a/b"} {
		for i := range 10 {
			want = append(want, fmt.Sprintf("%s:%d", path, i))
		}
	}
	s.finds(checkpoint.ItemQuery{Limit: 20}, want...)
	s.finds(checkpoint.ItemQuery{Limit: -1}, want...)
	for _, size := range []int{1, 3, 7, 20, 21} {
		var got []string
		q := checkpoint.ItemQuery{Prefix: []string{"a"}, Limit: size}
		for page := s.search(q); len(page) > 0; page = s.search(q) {
			require.LessOrEqual(s, len(page), size)
			for _, item := range page {
				got = append(got, strings.Join(item.NS, "/")+":"+item.Key)
			}
			require.LessOrEqual(s, len(got), len(want), "pages do not end")
			q.After = &checkpoint.Item{NS: page[len(page)-1].NS, Key: page[len(page)-1].Key}
		}
		require.Equal(s, want, got, "pages of %d", size)
	}
	even := map[string][]byte{"even": []byte(`true`)}
	s.finds(checkpoint.ItemQuery{Filter: even, Limit: 3}, "a:0", "a:2", "a:4")
	s.finds(checkpoint.ItemQuery{Filter: even, Limit: 3, After: &checkpoint.Item{NS: []string{"a"}, Key: "5"}}, "a:6", "a:8", "a/b:0")
	s.finds(checkpoint.ItemQuery{After: &checkpoint.Item{NS: []string{"a", "b"}, Key: "9"}})
}

func itemsStay(s *shelf) {
	value := []byte(`{"n":1}`)
	ns := []string{"a"}
	require.NoError(s, s.items.Put(s.ctx, checkpoint.Item{NS: ns, Key: "k", Value: value}))
	copy(value, `{"n":9}`)
	ns[0] = "z"
	got, err := s.items.Get(s.ctx, []string{"a"}, "k")
	require.NoError(s, err)
	require.Equal(s, `{"n":1}`, string(got.Value), "the caller changed his bytes after Put")
	found := s.search(checkpoint.ItemQuery{})
	s.put("a", "k", `{"n":2}`)
	require.NoError(s, s.items.Delete(s.ctx, []string{"a"}, "k"))
	for _, item := range append(found, got) {
		require.Equal(s, `{"n":1}`, string(item.Value))
		require.Equal(s, []string{"a"}, item.NS)
	}
}

func itemsCrowd(s *shelf) {
	together(s, 16, func(i int) error {
		ns := []string{"crowd", fmt.Sprint(i % 4)}
		for n := range 10 {
			key := fmt.Sprintf("%d-%d", i, n)
			if err := s.items.Put(s.ctx, checkpoint.Item{NS: ns, Key: key, Value: fmt.Appendf(nil, "%d", n)}); err != nil {
				return err
			}
			if got, err := s.items.Get(s.ctx, ns, key); err != nil || string(got.Value) != fmt.Sprint(n) {
				return fmt.Errorf("item %s is %s: %w", key, got.Value, err)
			}
			if _, err := s.items.Search(s.ctx, checkpoint.ItemQuery{Prefix: ns, Limit: 3}); err != nil {
				return err
			}
			if n%2 == 1 {
				if err := s.items.Delete(s.ctx, ns, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	require.Len(s, s.search(checkpoint.ItemQuery{}), 16*5)
}

func itemsContext(s *shelf) {
	s.put("a", "k", `1`)
	ctx, stop := context.WithCancel(s.ctx)
	stop()
	require.ErrorIs(s, s.items.Put(ctx, checkpoint.Item{NS: []string{"a"}, Key: "l", Value: []byte(`2`)}), context.Canceled)
	require.ErrorIs(s, s.items.Delete(ctx, []string{"a"}, "k"), context.Canceled)
	_, err := s.items.Get(ctx, []string{"a"}, "k")
	require.ErrorIs(s, err, context.Canceled)
	_, err = s.items.Search(ctx, checkpoint.ItemQuery{})
	require.ErrorIs(s, err, context.Canceled)
	s.finds(checkpoint.ItemQuery{}, "a:k")
}
