package sqlite

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	searchAll    = itemColumns + ` WHERE (ns, key) > (?, ?) ORDER BY ns, key`
	searchPrefix = itemColumns + ` WHERE (ns, key) > (?, ?) AND ns >= ? AND ns < ? ORDER BY ns, key`
)

// errEnough ends a query before its last row.
var errEnough = errors.New("enough")

// Search returns items by namespace and key. A prefix is a range of the index
// of namespaces; filters are compared with each item of the range, as JSON
// values: order of members, blanks and the way to write a number or a letter
// do not matter.
func (i *Items) Search(ctx context.Context, q checkpoint.ItemQuery) ([]checkpoint.Item, error) {
	want, err := newFilter(q.Filter)
	if err = errors.Join(err, checkPrefix(q.Prefix)); err != nil {
		return nil, err
	}
	text, args := searchRange(&q)
	now := i.store.now().UnixNano()
	var out []checkpoint.Item
	err = i.store.read(ctx, "searching items", func(ctx context.Context, l *link) error {
		return l.query(ctx, func(r *row) error {
			item, err := l.readItem(r)
			if err != nil || item.over(now) || !want.fits(item.value) {
				return err
			}
			out = append(out, item.item())
			if q.Limit > 0 && len(out) == q.Limit {
				return errEnough
			}
			return nil
		}, text, args...)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return out, nil
}

// searchRange returns the statement for the range of a query, and its
// arguments.
func searchRange(q *checkpoint.ItemQuery) (text string, args []any) {
	after, key := []byte{0}, "" // before all paths
	if q.After != nil && len(q.After.NS) > 0 {
		after, key = encodePath(q.After.NS), q.After.Key
	}
	if len(q.Prefix) == 0 {
		return searchAll, []any{after, key}
	}
	low := encodePath(q.Prefix)
	high := slices.Clone(low)
	high[len(high)-1] = 1 // in place of the NUL byte
	return searchPrefix, []any{after, key, low, high}
}

// member is a member that values must have.
type member struct {
	name string
	want value
}

// filter is what a value must be to be found, by the names of members.
type filter []member

func newFilter(members map[string][]byte) (filter, error) {
	var out filter
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(members)) {
		want, err := parseValue(members[name])
		if err != nil {
			problems = append(problems, at("filter of member %q: %w: %w", name, checkpoint.ErrInvalid, err))
		}
		out = append(out, member{name, want})
	}
	return out, errors.Join(problems...)
}

func (f filter) fits(data []byte) bool {
	if len(f) == 0 {
		return true
	}
	have, err := parseValue(data)
	if err != nil {
		return false
	}
	object, ok := have.v.(map[string]any)
	if !ok {
		return false
	}
	for _, m := range f {
		v, ok := object[m.name]
		if !ok || !equal(v, m.want.v) {
			return false
		}
	}
	return true
}
