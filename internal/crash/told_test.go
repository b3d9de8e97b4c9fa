package crash_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// tell tells others of a thread's handoffs, all of them each time, as after a
// crash by which it was forgotten what was told.
func (d *drive) tell(ctx context.Context, s checkpoint.Store) error {
	snap, err := d.graph.On(s, nil).State(ctx, d.thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	outbox := handoffs.Outbox{Bus: noticeBoard{d.world.ledger}}
	_, err = outbox.Publish(ctx, d.thread, handoffs.LogOf(snap.Values.Team.HandoffLog), 0)
	return err
}

// noticeBoard is a bus that keeps each message once, with all that it says.
type noticeBoard struct{ l *ledger }

func (b noticeBoard) Publish(_ context.Context, m bus.Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return b.l.keep(fmt.Sprintf("message %s %08x", m.ID, crc32.ChecksumIEEE(text)))
}

func (noticeBoard) Subscribe(context.Context, bus.Filter) (iter.Seq[bus.Message], error) {
	return nil, errors.New("nobody subscribes here")
}

// table says what is wrong with the rows for SQL of a thread that has come to
// its end.
func (d *drive) table(ctx context.Context, s checkpoint.Store, path string) error {
	snap, err := d.graph.On(s, nil).State(ctx, d.thread, "")
	if err != nil {
		return err
	}
	return tableOf(ctx, path, d.thread, handoffs.LogOf(snap.Values.Team.HandoffLog))
}

// tableOf says what is wrong with the rows for SQL of a thread: they are those
// that its log makes at once.
func tableOf(ctx context.Context, path, thread string, log handoffs.Log) error {
	var want []string
	for _, row := range handoffs.IndexRows("", handoffs.Log{}, log) {
		want = append(want, row.Key+columns(thread, row.Columns))
	}
	if len(want) == 0 {
		return nil // a store has no table before its first row
	}
	got, err := selectAll(ctx, path, "SELECT * FROM "+handoffs.IndexTable+" WHERE thread = ?", thread)
	if err != nil {
		return err
	}
	slices.Sort(want)
	slices.Sort(got)
	return same("row of the table", want, got)
}

// columns writes columns of a thread's row down, without what the store adds and
// without NULLs.
func columns(thread string, cs []checkpoint.Column) string {
	var out []string
	for _, c := range cs {
		switch v := c.Value.(type) {
		case bool:
			c.Value = map[bool]int64{true: 1}[v]
		case checkpoint.ThreadName:
			c.Value = thread
		}
		if c.Value != nil && c.Name != "thread" && c.Name != "ns" && c.Name != "seq" && c.Name != "key" {
			out = append(out, fmt.Sprintf(" %s=%v", c.Name, c.Value))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// selectAll returns the rows of a query on a file, a text each.
func selectAll(ctx context.Context, path, query string, args ...any) (out []string, err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close(), rows.Err()) }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, places := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		key, cs := "", make([]checkpoint.Column, len(names))
		for i, name := range names {
			cs[i] = checkpoint.Column{Name: name, Value: values[i]}
			if name == "key" {
				key = fmt.Sprint(values[i])
			}
		}
		out = append(out, key+columns("", cs))
	}
	return out, nil
}
