package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Sizes of the write-ahead log, in bytes: it is folded into the file when it
// has reached the first, and a log that a slow reader has let grow is cut to
// the second afterwards.
const (
	foldAt = 8 << 20
	cutTo  = 16 << 20
)

// setting is a statement for a new connection.
type setting struct {
	text string
	want string // what it answers, "" for anything
}

// common are the settings of every connection. Pages are looked over when
// they are read.
func (s *Store) common() []setting {
	return []setting{
		{fmt.Sprintf(`PRAGMA busy_timeout = %d`, s.cfg.BusyTimeout.Milliseconds()), ""},
		{`PRAGMA cell_size_check = 1`, ""},
		{`PRAGMA trusted_schema = 0`, ""},
	}
}

// reading are the settings of the connections that read.
func (s *Store) reading() []setting {
	return append(s.common(), setting{`PRAGMA query_only = 1`, ""}, setting{`PRAGMA cache_size = -8192`, ""})
}

// writing are the settings of the connection that writes.
func (s *Store) writing() []setting {
	mode := "FULL"
	if s.cfg.Synchronous == Normal {
		mode = "NORMAL"
	}
	settings := append(s.common(),
		setting{`PRAGMA synchronous = ` + mode, ""},
		setting{fmt.Sprintf(`PRAGMA page_size = %d`, pageSize), ""},
		setting{fmt.Sprintf(`PRAGMA journal_size_limit = %d`, cutTo), ""},
		setting{fmt.Sprintf(`PRAGMA wal_autocheckpoint = %d`, foldAt/pageSize), ""})
	if s.cfg.MaxBytes > 0 {
		settings = append(settings, setting{fmt.Sprintf(`PRAGMA max_page_count = %d`, max(1, s.cfg.MaxBytes/pageSize)), ""})
	}
	return settings
}

// connect opens a connection with settings.
func (s *Store) connect(ctx context.Context, settings []setting) (*link, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, failed("connecting to the file", err)
	}
	l := newLink(conn)
	if err := applyAll(ctx, l, settings); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func applyAll(ctx context.Context, l *link, settings []setting) error {
	for _, set := range settings {
		if err := apply(ctx, l.conn, set); err != nil {
			return err
		}
	}
	return nil
}

func apply(ctx context.Context, conn *sql.Conn, set setting) error {
	var got string
	err := conn.QueryRowContext(ctx, set.text).Scan(&got)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err == nil && set.want != "" && got != set.want {
		err = fmt.Errorf("the answer is %q, not %q", got, set.want)
	}
	return failed("setting up the file: "+set.text, err)
}

// writeAhead turns the file to a write-ahead log, once and for all. Another
// process that does so just now is waited for.
func (s *Store) writeAhead(ctx context.Context, l *link) error {
	for deadline := time.Now().Add(s.cfg.BusyTimeout); ; {
		err := apply(ctx, l.conn, setting{`PRAGMA journal_mode = WAL`, "wal"})
		if !errors.Is(err, ErrLocked) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// finish folds the write-ahead log into the file, if nobody is reading, and
// closes the connection.
func (w *writer) finish() error {
	w.once.Do(func() {
		ctx := context.Background()
		if w.store.present() == nil {
			w.link.conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`)
			w.link.conn.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		}
		w.failure = w.link.close()
	})
	return w.failure
}
