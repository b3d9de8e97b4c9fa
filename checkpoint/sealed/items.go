package sealed

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
)

// NewItems returns long-term memory that keeps in items what can be read
// with a key only. What is sealed, with AES-256-GCM, is the Value of every
// item, bound to the item's namespace and key, which stay readable; it is
// stored as a JSON text. Search with a Filter opens what it looks at, for
// items cannot look for themselves. Keys and errors are as with Sealed; Put
// seals with the newest key.
func NewItems(items checkpoint.Items, cfg *Config) (checkpoint.Items, error) {
	if items == nil {
		return nil, fmt.Errorf("sealed: %w: there is no memory to keep what is sealed", checkpoint.ErrInvalid)
	}
	ring, err := newKeyring(cfg)
	if err != nil {
		return nil, err
	}
	return &sealedItems{items, ring}, nil
}

type sealedItems struct {
	items checkpoint.Items
	ring  *keyring
}

// box returns the box of an item.
func (s *sealedItems) box(ns []string, key string) (*box, error) {
	scope := place("item", "", []int64{int64(len(ns))}, append(ns[:len(ns):len(ns)], key)...)
	return newBox(s.ring, "item "+string(scope))
}

func (s *sealedItems) Put(ctx context.Context, item checkpoint.Item) error {
	if err := checkpoint.CheckItem(&item); err != nil {
		return err
	}
	b, err := s.box(item.NS, item.Key)
	if err != nil {
		return err
	}
	sealed := b.seal(nil, item.Value)
	item.Value, err = json.Marshal(base64.StdEncoding.EncodeToString(sealed))
	if err != nil {
		return fmt.Errorf("sealed: item %q, %q: %w", item.NS, item.Key, err)
	}
	return s.items.Put(ctx, item)
}

// open returns an item as it was given.
func (s *sealedItems) open(item checkpoint.Item) (checkpoint.Item, error) {
	b, err := s.box(item.NS, item.Key)
	if err != nil {
		return checkpoint.Item{}, err
	}
	var text string
	if err := json.Unmarshal(item.Value, &text); err != nil {
		return checkpoint.Item{}, fmt.Errorf("sealed: item %q, %q: %w: it is no JSON text: %w", item.NS, item.Key, checkpoint.ErrCorrupt, err)
	}
	sealed, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return checkpoint.Item{}, fmt.Errorf("sealed: item %q, %q: %w: it is no base64: %w", item.NS, item.Key, checkpoint.ErrCorrupt, err)
	}
	if item.Value, err = b.open(nil, sealed); err != nil {
		return checkpoint.Item{}, fmt.Errorf("sealed: item %q, %q: %w", item.NS, item.Key, err)
	}
	return item, nil
}

func (s *sealedItems) Get(ctx context.Context, ns []string, key string) (checkpoint.Item, error) {
	item, err := s.items.Get(ctx, ns, key)
	if err != nil {
		return checkpoint.Item{}, err
	}
	return s.open(item)
}

// sealedPage is how many items Search asks for at least, if it has a limit.
const sealedPage = 64

func (s *sealedItems) Search(ctx context.Context, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
	filter, err := checkpoint.NewFilter(q.Filter)
	if err != nil {
		return nil, err
	}
	page := checkpoint.ItemQuery{Prefix: q.Prefix, After: q.After}
	if q.Limit > 0 {
		page.Limit = q.Limit
		if len(q.Filter) > 0 {
			page.Limit = max(q.Limit, sealedPage)
		}
	}
	var found []checkpoint.Item
	for {
		sealed, err := s.items.Search(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, item := range sealed {
			opened, err := s.open(item)
			if err != nil {
				return nil, err
			}
			if filter.Fits(opened.Value) {
				found = append(found, opened)
			}
			if q.Limit > 0 && len(found) == q.Limit {
				return found, nil
			}
		}
		if page.Limit == 0 || len(sealed) < page.Limit {
			return found, nil
		}
		page.After = &sealed[len(sealed)-1]
	}
}

func (s *sealedItems) Delete(ctx context.Context, ns []string, key string) error {
	return s.items.Delete(ctx, ns, key)
}
