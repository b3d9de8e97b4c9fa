package sqlite

import (
	"context"
	"fmt"
)

// migration brings a file from one version to the next.
type migration struct {
	text string
}

// migrations are all of them: the first makes version 1 of an empty file.
func migrations() []migration { return []migration{{creation}} }

// standing is what a file says of itself.
type standing struct {
	application int64
	version     int64
	tables      int64
}

// usable finds out whether a file may be used: one of this package, or an
// empty one.
func usable(ctx context.Context, l *link, newest int64) (at standing, err error) {
	err = l.snapshot(ctx, func(ctx context.Context, l *link) (err error) {
		at, err = inspect(ctx, l, newest)
		return err
	})
	return at, err
}

// inspect is usable within a transaction: another process may be making the
// tables just now.
func inspect(ctx context.Context, l *link, newest int64) (standing, error) {
	var s standing
	for _, q := range []struct {
		text string
		to   *int64
	}{
		{`PRAGMA application_id`, &s.application}, {`PRAGMA user_version`, &s.version},
		{`SELECT count(*) FROM sqlite_schema`, &s.tables},
	} {
		err := l.conn.QueryRowContext(ctx, q.text).Scan(q.to)
		if err != nil && code(err) == codeNotADB {
			return s, fmt.Errorf("sqlite: the file is no SQLite database, or its first page is damaged: %w: %w", ErrForeign, failed("looking into it", err))
		}
		if err != nil {
			return s, failed("looking into the file", err)
		}
	}
	switch {
	case s.application == 0 && s.version == 0 && s.tables == 0:
	case s.application != application:
		return s, fmt.Errorf("sqlite: the file is an SQLite database of another program (application_id %d, %d tables and indexes): %w", s.application, s.tables, ErrForeign)
	case s.version > newest:
		return s, fmt.Errorf("sqlite: the file has version %d; this program knows versions up to %d: use a newer one: %w", s.version, newest, ErrForeign)
	}
	return s, nil
}

// migrate carries out, in one transaction, what a file has not seen yet of
// the steps. Beginning to write proves that the file can be written.
func migrate(ctx context.Context, l *link, steps []migration) (err error) {
	if _, err := l.exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		return failed("beginning to write", err)
	}
	defer func() {
		if err != nil {
			l.exec(context.Background(), `ROLLBACK`)
		}
	}()
	s, err := inspect(ctx, l, int64(len(steps)))
	if err != nil {
		return err
	}
	for version := s.version; version < int64(len(steps)); version++ {
		if _, err := l.conn.ExecContext(ctx, steps[version].text); err != nil {
			return failed(fmt.Sprintf("bringing the file to version %d", version+1), err)
		}
	}
	for _, text := range []string{
		fmt.Sprintf(`PRAGMA application_id = %d`, application),
		fmt.Sprintf(`PRAGMA user_version = %d`, len(steps)),
	} {
		if s.version == int64(len(steps)) {
			break
		}
		if _, err := l.conn.ExecContext(ctx, text); err != nil {
			return failed("noting the version", err)
		}
	}
	_, err = l.exec(ctx, `COMMIT`)
	return failed("bringing the file up to date", err)
}
