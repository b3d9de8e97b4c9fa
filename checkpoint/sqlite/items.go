package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// Items is long-term memory in the file of a Store. It implements
// checkpoint.Swapper; its methods may be called by many goroutines. It ends with
// its Store.
type Items struct {
	store *Store
	swept *atomic.Int64 // when items that had expired were last removed
}

var _ checkpoint.Swapper = (*Items)(nil)

// Items returns the long-term memory that is in the same file.
func (s *Store) Items() *Items { return &Items{store: s, swept: &s.swept} }

// itemRow is a row of table items.
type itemRow struct {
	ns      []byte // the parts of the path, a NUL byte behind each
	key     string
	ttl     int64
	created int64
	updated int64
	expires int64
	value   []byte
}

const (
	itemColumns = `SELECT ns, key, ttl, created, updated, expires, sum, value FROM items`
	selectItem  = itemColumns + ` WHERE ns = ? AND key = ?`
	putItem     = `INSERT INTO items(ns, key, ttl, created, updated, expires, sum, value) VALUES(?,?,?,?,?,?,?,?)
	ON CONFLICT(ns, key) DO UPDATE SET ttl = excluded.ttl, created = excluded.created, updated = excluded.updated,
		expires = excluded.expires, sum = excluded.sum, value = excluded.value`
	deleteItem = `DELETE FROM items WHERE ns = ? AND key = ?`
	sweepItems = `DELETE FROM items WHERE id IN (SELECT id FROM items WHERE expires > 0 AND expires <= ? LIMIT 1000)`
)

// sweepEvery is how often Put removes items whose time is over, at most a
// thousand each time.
const sweepEvery = time.Minute

// Put stores an item. In place of another one it keeps the time when that one
// was created, if that one's time is not over.
func (i *Items) Put(ctx context.Context, item checkpoint.Item) error {
	if err := checkItem(&item); err != nil {
		return err
	}
	return i.store.submit(ctx, func(b *batch) error { return b.put(i, &item) })
}

// Swap stores an item if its value is still old, whichever process may have
// changed it. One that is damaged is ErrCorrupt.
func (i *Items) Swap(ctx context.Context, item checkpoint.Item, old []byte) error {
	if err := checkItem(&item); err != nil {
		return err
	}
	return i.store.submit(ctx, func(b *batch) error {
		there, err := b.getItem(b.ctx, encodePath(item.NS), item.Key, b.at)
		switch {
		case errors.Is(err, checkpoint.ErrNotFound):
			there.value = nil
		case err != nil:
			return err
		}
		if !bytes.Equal(there.value, old) {
			return refuse(checkpoint.ErrConflict, "item %q in %q", item.Key, item.NS)
		}
		return b.put(i, &item)
	})
}

func (b *batch) put(i *Items, item *checkpoint.Item) error {
	ns := encodePath(item.NS)
	old, err := b.getItem(b.ctx, ns, item.Key, b.at)
	if err != nil && !errors.Is(err, checkpoint.ErrNotFound) && !errors.Is(err, checkpoint.ErrCorrupt) {
		return err
	}
	r := itemRow{ns: ns, key: item.Key, ttl: int64(item.TTL), created: b.at, updated: b.at, value: item.Value}
	if err == nil {
		r.created = old.created
	}
	if r.ttl > 0 {
		r.expires = b.at + min(r.ttl, math.MaxInt64-b.at)
	}
	_, err = b.exec(b.ctx, putItem, r.ns, r.key, r.ttl, r.created, r.updated, r.expires, b.digest.item(&r), r.value)
	if err != nil {
		return err
	}
	if last := i.swept.Load(); b.at-last >= int64(sweepEvery) && i.swept.CompareAndSwap(last, b.at) {
		_, err = b.exec(b.ctx, sweepItems, b.at)
	}
	return err
}

// Get returns an item.
func (i *Items) Get(ctx context.Context, ns []string, key string) (checkpoint.Item, error) {
	if err := errors.Join(checkPath(ns), checkKey(key)); err != nil {
		return checkpoint.Item{}, err
	}
	var out itemRow
	err := i.store.read(ctx, "reading an item", func(ctx context.Context, l *link) (err error) {
		out, err = l.getItem(ctx, encodePath(ns), key, i.store.now().UnixNano())
		return err
	})
	if err != nil {
		return checkpoint.Item{}, err
	}
	return out.item(), nil
}

// getItem returns a row whose time is not over.
func (l *link) getItem(ctx context.Context, ns []byte, key string, now int64) (itemRow, error) {
	var out itemRow
	found := false
	err := l.query(ctx, func(r *row) (err error) {
		out, err = l.readItem(r)
		found = err == nil && !out.over(now)
		return err
	}, selectItem, ns, key)
	if err == nil && !found {
		err = refuse(checkpoint.ErrNotFound, "item %q in %q", key, decodePath(ns))
	}
	return out, err
}

// Delete removes an item.
func (i *Items) Delete(ctx context.Context, ns []string, key string) error {
	if err := errors.Join(checkPath(ns), checkKey(key)); err != nil {
		return err
	}
	return i.store.submit(ctx, func(b *batch) error {
		_, err := b.exec(b.ctx, deleteItem, encodePath(ns), key)
		return err
	})
}

// readItem reads a row of itemColumns and proves it.
func (l *link) readItem(r *row) (itemRow, error) {
	out := itemRow{ns: r.blob(), key: r.text(), ttl: r.int(), created: r.int(), updated: r.int(), expires: r.int()}
	sum := r.int()
	out.value = r.blob()
	if r.bad || sum != l.digest.item(&out) {
		return out, corrupt("item %q in %q", out.key, decodePath(out.ns))
	}
	return out, nil
}

func (r *itemRow) over(now int64) bool { return r.expires > 0 && r.expires <= now }

func (r *itemRow) item() checkpoint.Item {
	out := checkpoint.Item{
		NS: decodePath(r.ns), Key: r.key, Value: r.value, TTL: time.Duration(r.ttl),
		Created: time.Unix(0, r.created).UTC(), Updated: time.Unix(0, r.updated).UTC(),
	}
	if r.expires > 0 {
		out.Expires = time.Unix(0, r.expires).UTC()
	}
	return out
}

// encodePath puts a NUL byte behind each part: then paths are ordered part by
// part, and all paths that begin with the same parts stand together.
func encodePath(ns []string) []byte {
	var out []byte
	for _, part := range ns {
		out = append(append(out, part...), 0)
	}
	return out
}

func decodePath(ns []byte) []string {
	return strings.Split(strings.TrimSuffix(string(ns), "\x00"), "\x00")
}

func checkItem(item *checkpoint.Item) error {
	problems := []error{checkPath(item.NS), checkKey(item.Key)}
	if item.TTL < 0 {
		problems = append(problems, at("item %q: its time to live is %v, which is below 0: %w", item.Key, item.TTL, checkpoint.ErrInvalid))
	}
	if !json.Valid(item.Value) {
		problems = append(problems, at("item %q: its value is not JSON: %w", item.Key, checkpoint.ErrInvalid))
	}
	return errors.Join(problems...)
}

func checkKey(key string) error {
	if key == "" {
		return at("the key of an item is empty: %w", checkpoint.ErrInvalid)
	}
	return nil
}

func checkPath(ns []string) error {
	if len(ns) == 0 {
		return at("the namespace of an item has no parts: %w", checkpoint.ErrInvalid)
	}
	return checkPrefix(ns)
}

func checkPrefix(ns []string) error {
	var problems []error
	for i, part := range ns {
		if part == "" || strings.Contains(part, "\x00") {
			problems = append(problems, fmt.Errorf("part %d, %q, of namespace %q is empty or has a NUL byte", i, part, ns))
		}
	}
	if problems == nil {
		return nil
	}
	return at("%w: %w", checkpoint.ErrInvalid, errors.Join(problems...))
}
