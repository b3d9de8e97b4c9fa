package handoffs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
)

// BreakerStore keeps breakers that threads share. Its methods may be called by
// any number of goroutines at once.
type BreakerStore interface {
	// Load returns the breakers by key, as Desk.Breakers has them, and a version:
	// another one whenever they are others. Before the first Swap there are none,
	// and the version is "".
	Load(ctx context.Context) (all map[string]Breaker, version string, err error)
	// Swap keeps other breakers in place of those of a version. It reports false
	// and changes nothing if they have another version by now.
	Swap(ctx context.Context, version string, all map[string]Breaker) (bool, error)
}

// SharedBreakers keeps breakers in long-term memory, as an item of the
// namespace "handoffs", "breakers". All teams that are given the same memory and
// name share them; the name tells those apart whose agents have the same ids by
// chance. "" stands for "team". They are shared by as many processes as the
// memory is. What is stored there and cannot be read is a checkpoint.ErrCorrupt.
func SharedBreakers(items checkpoint.Swapper, name string) BreakerStore {
	return &sharedBreakers{items, checkpoint.Item{NS: []string{"handoffs", "breakers"}, Key: cmp.Or(name, "team")}}
}

type sharedBreakers struct {
	items checkpoint.Swapper
	item  checkpoint.Item // without a value
}

// Load reads the item. Its bytes are the version.
func (s *sharedBreakers) Load(ctx context.Context) (all map[string]Breaker, version string, err error) {
	if s.items == nil {
		return nil, "", errNoBreakers
	}
	item, err := s.items.Get(ctx, s.item.NS, s.item.Key)
	switch {
	case errors.Is(err, checkpoint.ErrNotFound):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	if err := json.Unmarshal(item.Value, &all); err != nil {
		return nil, "", fmt.Errorf("item %q, %q: %w: these are no breakers: %w", item.NS, item.Key, checkpoint.ErrCorrupt, err)
	}
	return all, string(item.Value), nil
}

// Swap writes the item.
func (s *sharedBreakers) Swap(ctx context.Context, version string, all map[string]Breaker) (bool, error) {
	if s.items == nil {
		return false, errNoBreakers
	}
	item := s.item
	var err error
	if item.Value, err = json.Marshal(all); err != nil {
		return false, err
	}
	err = s.items.Swap(ctx, item, []byte(version))
	if errors.Is(err, checkpoint.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

var errNoBreakers = errors.New("SharedBreakers was given no memory")
