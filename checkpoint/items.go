package checkpoint

import (
	"context"
	"time"
)

// Items is long-term memory: values that outlive threads and are shared by
// them, by namespace and key. All methods may be called by many goroutines.
type Items interface {
	// Put stores an item, in place of the one of the same namespace and key.
	// Its Value must be a JSON value, its namespace and key well-formed, else
	// ErrInvalid. Created and Updated are set by the store.
	Put(ctx context.Context, item Item) error
	// Get returns an item; ErrNotFound if there is none or its time is over.
	Get(ctx context.Context, ns []string, key string) (Item, error)
	// Search returns the items that fit, by namespace and key.
	Search(ctx context.Context, q ItemQuery) ([]Item, error)
	// Delete removes an item; one that does not exist is no error.
	Delete(ctx context.Context, ns []string, key string) error
}

// Swapper is long-term memory in which several can change one item and none
// undoes what another one did. MemoryItems and the Items of package sqlite are.
type Swapper interface {
	Items
	// Swap is Put where the item's value is still old, byte by byte; no old: where
	// there is no item, or its time is over. Else it is ErrConflict, and nothing
	// was stored.
	Swap(ctx context.Context, item Item, old []byte) error
}

// Item is a value in long-term memory.
type Item struct {
	NS      []string      // a path, such as "users", "ada"; at least one part, none empty, none with a NUL byte
	Key     string        // not empty
	Value   []byte        // JSON
	TTL     time.Duration // how long it lives from Put on; 0: for ever; less is ErrInvalid
	Created time.Time
	Updated time.Time
	Expires time.Time // zero: never
}

// ItemQuery asks for items. The zero value asks for all.
type ItemQuery struct {
	Prefix []string // only namespaces that begin with these parts
	// Filter holds JSON values by the names of members: only items whose value
	// is an object with members equal to all of them.
	Filter map[string][]byte
	After  *Item // only items behind this one's namespace and key, for paging
	Limit  int   // at most so many; 0 or less: all
}
