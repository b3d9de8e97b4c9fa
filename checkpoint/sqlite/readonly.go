package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// openReadOnly opens the file without ever writing. SQLite wants to make a
// file beside one with a write-ahead log, even to read it; where it must not,
// and there is no log to be read, the file is taken for one that nobody
// changes.
func (s *Store) openReadOnly(ctx context.Context) error {
	err := s.openAs(ctx, "ro")
	if err == nil {
		return nil
	}
	if c := code(err); c != codeCantOpen && c != codeReadOnly {
		return err
	}
	if log, statErr := os.Stat(s.path + "-wal"); statErr == nil && log.Size() > 0 {
		return fmt.Errorf("sqlite: the file has a write-ahead log beside it, which cannot be read without writing to the directory: %w", err)
	}
	return s.openAs(ctx, "ro&immutable=1")
}

func (s *Store) openAs(ctx context.Context, mode string) (err error) {
	db, err := sql.Open(s.cfg.Driver, dsn(s.path, mode))
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	db.SetMaxIdleConns(0)
	s.db = db
	l, err := s.connect(ctx, s.common())
	if err == nil {
		err = s.current(ctx, l)
	}
	if err == nil {
		err = applyAll(ctx, l, s.reading())
	}
	if err != nil {
		if l != nil {
			l.close()
		}
		s.db = nil
		db.Close()
		return err
	}
	s.readers = newReaders(func(ctx context.Context) (*link, error) { return s.connect(ctx, s.reading()) })
	s.readers.put(l)
	return nil
}

// current makes sure that the file needs no migration.
func (s *Store) current(ctx context.Context, l *link) error {
	newest := int64(len(migrations()))
	at, err := usable(ctx, l, newest)
	if err == nil && at.version < newest {
		err = fmt.Errorf("sqlite: the file has version %d and would have to be brought to version %d: open it for writing once: %w", at.version, newest, ErrForeign)
	}
	return err
}
