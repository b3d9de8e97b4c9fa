package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Synchronous says when SQLite waits for the disk.
type Synchronous uint8

// When SQLite waits for the disk.
const (
	// Full waits at each transaction: what was acknowledged survives the loss
	// of power.
	Full Synchronous = iota
	// Normal waits only when the write-ahead log is folded into the file: the
	// loss of power may take the newest transactions, always the last ones and
	// always whole ones. What was acknowledged survives the end of the process.
	Normal
)

// Config is how to open a file. The zero value is good.
type Config struct {
	// Synchronous says what survives the loss of power; zero: Full.
	Synchronous Synchronous
	// BusyTimeout is how long to wait for other processes that write to the
	// file, before a write fails with ErrLocked; 0: 10 s.
	BusyTimeout time.Duration
	// TakeOverGrace is how long checkpoint.TakeOver waits for a writer that
	// was fenced off to release the thread, before it fails with ErrBusy; 0:
	// 10 s.
	TakeOverGrace time.Duration
	// ReadOnly opens a file that exists and never writes. Claim, Copy, Delete,
	// Put and the Delete of items fail with ErrReadOnly.
	ReadOnly bool
	// MaxBytes is how large the file may grow, before writes fail with
	// ErrFull; 0: as large as the disk allows.
	MaxBytes int64
	// Now tells the time; nil: time.Now.
	Now func() time.Time
	// Driver is the name of a database/sql driver for SQLite which takes file
	// URIs; "": "sqlite", modernc.org/sqlite, which needs no cgo.
	Driver string
}

// Store keeps threads in one SQLite file. It implements checkpoint.Store; its
// methods may be called by many goroutines, and any number of Stores in any
// number of processes on one machine may have the same file open.
type Store struct {
	cfg     Config
	path    string // without symbolic links
	db      *sql.DB
	file    os.FileInfo // of the file as it was opened
	readers *readers
	writer  *writer // nil: read only
	claims  *claims
	swept   atomic.Int64 // see Items
}

var _ checkpoint.Store = (*Store)(nil)

// Open opens the file at path, and makes it if it does not exist; its
// directory must exist. A nil cfg is the zero Config. A file of an older
// version of this package is brought up to date. A file that is none of this
// package, or of a newer version, is left as it is: ErrForeign. A Store that
// is no longer needed must be closed.
func Open(ctx context.Context, path string, cfg *Config) (*Store, error) {
	s := &Store{}
	if cfg != nil {
		s.cfg = *cfg
	}
	if err := s.cfg.complete(); err != nil {
		return nil, err
	}
	if err := s.locate(ctx, path); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w (file %q)", err, path), s.Close())
	}
	return s, nil
}

// complete fills in what is zero and refuses what makes no sense.
func (c *Config) complete() error {
	var problems []error
	for _, d := range []struct {
		name  string
		value *time.Duration
	}{{"BusyTimeout", &c.BusyTimeout}, {"TakeOverGrace", &c.TakeOverGrace}} {
		if *d.value < 0 {
			problems = append(problems, fmt.Errorf("sqlite: %s is %v: it must not be negative: %w", d.name, *d.value, checkpoint.ErrInvalid))
		}
		if *d.value == 0 {
			*d.value = 10 * time.Second
		}
	}
	if c.MaxBytes < 0 {
		problems = append(problems, fmt.Errorf("sqlite: MaxBytes is %d: it must not be negative: %w", c.MaxBytes, checkpoint.ErrInvalid))
	}
	if c.Synchronous > Normal {
		problems = append(problems, fmt.Errorf("sqlite: Synchronous is %d: it must be Full or Normal: %w", c.Synchronous, checkpoint.ErrInvalid))
	}
	if c.Driver == "" {
		c.Driver = "sqlite"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return errors.Join(problems...)
}

// locate finds the file, making an empty one if there may be one, and notes
// which it is. The file is never opened other than by SQLite: closing it would
// take SQLite's locks away.
func (s *Store) locate(ctx context.Context, path string) error {
	if path == "" {
		return fmt.Errorf("sqlite: the path of the file is empty: %w", checkpoint.ErrInvalid)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !s.cfg.ReadOnly {
		if err := s.create(ctx, path); err != nil {
			return err
		}
	}
	if s.path, err = filepath.EvalSymlinks(path); err != nil {
		return fmt.Errorf("sqlite: opening the file: %w", err)
	}
	if s.file, err = os.Stat(s.path); err != nil {
		return fmt.Errorf("sqlite: opening the file: %w", err)
	}
	if !s.file.Mode().IsRegular() {
		return fmt.Errorf("sqlite: %q is not a regular file: %w", s.path, ErrForeign)
	}
	return nil
}

func (s *Store) create(ctx context.Context, path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("sqlite: the file %q needs its directory: %w", path, err)
	} else if !info.IsDir() {
		return fmt.Errorf("sqlite: the file %q needs its directory: %q is none: %w", path, dir, checkpoint.ErrInvalid)
	}
	db, err := sql.Open(s.cfg.Driver, dsn(path, "rwc"))
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range []string{fmt.Sprintf(`PRAGMA busy_timeout = %d`, s.cfg.BusyTimeout.Milliseconds()), `PRAGMA user_version`} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return failed(fmt.Sprintf("making the file %q", path), err)
		}
	}
	return nil
}

// dsn names a file to a driver. The mode is ro, rw or rwc.
func dsn(path, mode string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=" + mode}
	if u.Path[0] != '/' {
		u.Path = "/" + u.Path
	}
	return u.String()
}

// open connects to the file that locate has found.
func (s *Store) open(ctx context.Context) (err error) {
	s.claims = newClaims(s.path + "-lock")
	if s.cfg.ReadOnly {
		return s.openReadOnly(ctx)
	}
	if s.db, err = sql.Open(s.cfg.Driver, dsn(s.path, "rw")); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	s.db.SetMaxIdleConns(0)
	l, err := s.connect(ctx, s.common())
	if err != nil {
		return err
	}
	if err := s.prepare(ctx, l); err != nil {
		l.close()
		if errors.Is(err, ErrReadOnly) {
			err = fmt.Errorf("%w: open it with ReadOnly to read it", err)
		}
		return err
	}
	s.readers = newReaders(func(ctx context.Context) (*link, error) { return s.connect(ctx, s.reading()) })
	s.writer = newWriter(s, l)
	return nil
}

// prepare makes a file ready to be written. Until it is known to be one of
// this package, nothing is done to it.
func (s *Store) prepare(ctx context.Context, l *link) error {
	steps := migrations()
	if _, err := usable(ctx, l, int64(len(steps))); err != nil {
		return err
	}
	if err := applyAll(ctx, l, s.writing()); err != nil {
		return err
	}
	if err := s.writeAhead(ctx, l); err != nil {
		return err
	}
	return migrate(ctx, l, steps)
}

// now is the time, as the store was told to tell it.
func (s *Store) now() time.Time { return s.cfg.Now() }

// present makes sure that the file is still the one that was opened: SQLite
// would go on writing to a file that nobody can find any more.
func (s *Store) present() error {
	now, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("sqlite: %w: %w", ErrGone, err)
	}
	if !os.SameFile(s.file, now) {
		return fmt.Errorf("sqlite: %q is another file now: %w", s.path, ErrGone)
	}
	return nil
}

// submit has the writer carry something out in a transaction.
func (s *Store) submit(ctx context.Context, do func(*batch) error) error {
	if s.writer == nil {
		return fmt.Errorf("sqlite: %q: %w", s.path, ErrReadOnly)
	}
	return s.writer.submit(ctx, do)
}

// Close ends the Store: what is under way is finished, what is queued fails
// with ErrClosed, threads that are claimed become free, and the write-ahead
// log is folded into the file, unless another process reads just now. Calling
// it again does nothing.
func (s *Store) Close() error {
	var problems []error
	if s.writer != nil {
		s.writer.stop()
	}
	if s.readers != nil {
		problems = append(problems, s.readers.close())
	}
	if s.writer != nil {
		problems = append(problems, s.writer.finish())
	}
	if s.db != nil {
		problems = append(problems, s.db.Close())
	}
	if s.claims != nil {
		problems = append(problems, s.claims.close())
	}
	return errors.Join(problems...)
}
