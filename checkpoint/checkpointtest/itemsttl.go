package checkpointtest

import (
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func ttlChecks() []itemCheck {
	return []itemCheck{
		{"time/items live as long as was said", ttlEnds},
		{"time/put begins a life anew", ttlAnew},
		{"time/what is over is not found, listed or counted", ttlSearch},
		{"time/created and updated", ttlTold},
	}
}

// lives stores an item that lives for a time.
func (s *shelf) lives(key string, ttl time.Duration) {
	item := checkpoint.Item{NS: []string{"a"}, Key: key, Value: []byte(`{"on":true}`), TTL: ttl}
	require.NoError(s, s.items.Put(s.ctx, item))
}

func (s *shelf) get(key string) checkpoint.Item {
	item, err := s.items.Get(s.ctx, []string{"a"}, key)
	require.NoError(s, err, "item %q at %v", key, s.clock.Now())
	return item
}

func ttlEnds(s *shelf) {
	s.lives("ever", 0)
	s.lives("minute", time.Minute)
	got := s.get("minute")
	require.Equal(s, time.Minute, got.TTL)
	require.True(s, got.Expires.Equal(s.clock.Now().Add(time.Minute)), "expires at %v", got.Expires)
	s.clock.Advance(time.Minute - time.Millisecond)
	s.get("minute")
	s.clock.Advance(time.Millisecond)
	s.missing([]string{"a"}, "minute")
	s.clock.Advance(1000 * time.Hour)
	s.get("ever")
	require.NoError(s, s.items.Delete(s.ctx, []string{"a"}, "minute"))
}

func ttlAnew(s *shelf) {
	s.lives("k", time.Minute)
	first := s.clock.Now()
	s.clock.Advance(50 * time.Second)
	s.lives("k", time.Minute)
	s.clock.Advance(50 * time.Second)
	require.True(s, s.get("k").Created.Equal(first), "an item that is replaced while it lives keeps Created")
	s.lives("k", 0)
	s.clock.Advance(time.Hour)
	require.True(s, s.get("k").Expires.IsZero())
	s.lives("k", time.Minute)
	s.clock.Advance(time.Hour)
	s.missing([]string{"a"}, "k")
	s.lives("k", time.Minute)
	require.True(s, s.get("k").Created.Equal(s.clock.Now()), "an item in the place of one whose time is over is a new one")
}

func ttlSearch(s *shelf) {
	s.lives("1", time.Minute)
	s.lives("2", 0)
	s.lives("3", time.Minute)
	s.lives("4", time.Hour)
	s.lives("5", 0)
	s.clock.Advance(time.Minute)
	filter := map[string][]byte{"on": []byte(`true`)}
	s.finds(checkpoint.ItemQuery{}, "a:2", "a:4", "a:5")
	s.finds(checkpoint.ItemQuery{Limit: 2}, "a:2", "a:4")
	s.finds(checkpoint.ItemQuery{Filter: filter, Limit: 2}, "a:2", "a:4")
	s.finds(checkpoint.ItemQuery{After: &checkpoint.Item{NS: []string{"a"}, Key: "3"}}, "a:4", "a:5")
	for range 20 {
		s.lives("6", 0)
	}
	s.finds(checkpoint.ItemQuery{Prefix: []string{"a"}}, "a:2", "a:4", "a:5", "a:6")
}

func ttlTold(s *shelf) {
	s.lives("k", 0)
	created := s.clock.Now()
	s.clock.Advance(time.Hour)
	s.lives("k", 0)
	got := s.get("k")
	require.True(s, got.Created.Equal(created), "created %v, not %v", created, got.Created)
	require.True(s, got.Updated.Equal(s.clock.Now()), "updated %v, not %v", s.clock.Now(), got.Updated)
	found := s.search(checkpoint.ItemQuery{})
	require.Len(s, found, 1)
	require.True(s, found[0].Created.Equal(got.Created) && found[0].Updated.Equal(got.Updated))
}
