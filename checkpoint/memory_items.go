package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// MemoryItems is long-term memory in this process's memory. It need not be
// closed. Items whose time is over are not returned any more; Put drops them
// now and then. Make one with NewMemoryItems.
type MemoryItems struct {
	now func() time.Time

	mu    sync.RWMutex
	items []*Item // by namespace and key; what they point to never changes
	spare int     // puts until what is over is dropped
}

// NewMemoryItems returns an empty memory; nil stands for a zero MemoryConfig.
func NewMemoryItems(cfg *MemoryConfig) *MemoryItems {
	m := &MemoryItems{now: time.Now}
	if cfg != nil && cfg.Now != nil {
		m.now = cfg.Now
	}
	return m
}

var _ Swapper = (*MemoryItems)(nil)

// Put stores an item.
func (m *MemoryItems) Put(ctx context.Context, item Item) error {
	return m.put(ctx, item, func([]byte) bool { return true })
}

// Swap stores an item if its value is still old.
func (m *MemoryItems) Swap(ctx context.Context, item Item, old []byte) error {
	return m.put(ctx, item, func(there []byte) bool { return bytes.Equal(there, old) })
}

// put stores an item if the value that is there, nil if none is, may go.
func (m *MemoryItems) put(ctx context.Context, item Item, may func(there []byte) bool) error {
	if err := CheckItem(&item); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: storing item %q, %q: %w", item.NS, item.Key, err)
	}
	item.NS, item.Value = slices.Clone(item.NS), bytes.Clone(item.Value)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now().Round(0)
	item.Created, item.Updated, item.Expires = now, now, time.Time{}
	if item.TTL > 0 {
		item.Expires = now.Add(item.TTL)
	}
	m.sweep(now)
	i, found := m.place(&item)
	var there []byte
	if found && !m.items[i].over(now) {
		there, item.Created = m.items[i].Value, m.items[i].Created
	}
	switch {
	case !may(there):
		return fmt.Errorf("checkpoint: item %q, %q: %w", item.NS, item.Key, ErrConflict)
	case found:
		m.items[i] = &item
	default:
		m.items = slices.Insert(m.items, i, &item)
	}
	return nil
}

// sweep drops items whose time is over, so rarely that a Put pays little for
// it. The lock is held.
func (m *MemoryItems) sweep(now time.Time) {
	if m.spare--; m.spare < 0 {
		m.items = slices.DeleteFunc(m.items, func(i *Item) bool { return i.over(now) })
		m.spare = len(m.items)
	}
}

// place returns where an item is or would be. A lock is held.
func (m *MemoryItems) place(item *Item) (int, bool) {
	return slices.BinarySearchFunc(m.items, item, (*Item).Compare)
}

// over reports whether an item's time is over.
func (i *Item) over(now time.Time) bool { return !i.Expires.IsZero() && !now.Before(i.Expires) }

// copied returns an item that its reader may change.
func (i *Item) copied() Item {
	c := *i
	c.NS, c.Value = slices.Clone(i.NS), bytes.Clone(i.Value)
	return c
}

// Get returns an item.
func (m *MemoryItems) Get(ctx context.Context, ns []string, key string) (Item, error) {
	if err := ctx.Err(); err != nil {
		return Item{}, fmt.Errorf("checkpoint: reading item %q, %q: %w", ns, key, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	i, found := m.place(&Item{NS: ns, Key: key})
	if !found || m.items[i].over(m.now()) {
		return Item{}, fmt.Errorf("checkpoint: item %q, %q: %w", ns, key, ErrNotFound)
	}
	return m.items[i].copied(), nil
}

// Search returns the items that fit.
func (m *MemoryItems) Search(ctx context.Context, q ItemQuery) ([]Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: searching items below %q: %w", q.Prefix, err)
	}
	filter, err := NewFilter(q.Filter)
	if err != nil {
		return nil, err
	}
	var found []Item
	now := m.now()
	for _, item := range m.below(&q) {
		if q.Limit > 0 && len(found) == q.Limit {
			break
		}
		if !item.over(now) && filter.Fits(item.Value) {
			found = append(found, item.copied())
		}
	}
	return found, nil
}

// below returns the items behind q.After whose namespaces begin with q.Prefix,
// filtered or not.
func (m *MemoryItems) below(q *ItemQuery) []*Item {
	m.mu.RLock()
	defer m.mu.RUnlock()
	from, _ := m.place(&Item{NS: q.Prefix})
	if q.After != nil {
		i, found := m.place(q.After)
		if found {
			i++
		}
		from = max(from, i)
	}
	to := from
	for to < len(m.items) && hasPrefix(m.items[to].NS, q.Prefix) {
		to++
	}
	return slices.Clone(m.items[from:to])
}

func hasPrefix(ns, prefix []string) bool {
	return len(ns) >= len(prefix) && slices.Equal(ns[:len(prefix)], prefix)
}

// Delete removes an item.
func (m *MemoryItems) Delete(ctx context.Context, ns []string, key string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: deleting item %q, %q: %w", ns, key, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, found := m.place(&Item{NS: ns, Key: key}); found {
		m.items = slices.Delete(m.items, i, i+1)
	}
	return nil
}
