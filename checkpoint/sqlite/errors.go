package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
)

// What callers may branch on beside the errors of package checkpoint.
var (
	// ErrReadOnly: the store was opened with Config.ReadOnly, or the file or
	// its directory must not be written.
	ErrReadOnly = errors.New("it can only be read")
	// ErrForeign: the file is not one of this package: no SQLite database, one
	// of another program, or one of a newer version of this package.
	ErrForeign = errors.New("not a file of this store")
	// ErrGone: the file was removed or replaced while the store had it open.
	ErrGone = errors.New("the file was removed or replaced")
	// ErrFull: the disk is full, or the file has reached Config.MaxBytes.
	ErrFull = errors.New("no space left")
	// ErrLocked: another process has kept the file locked for longer than
	// Config.BusyTimeout.
	ErrLocked = errors.New("locked by another process")
)

// Result codes of SQLite, of which the low byte is the kind.
const (
	codeError    = 1
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// code returns the result code of SQLite in an error, 0 if it has none.
// Drivers that tell it otherwise than by a method Code are read by the words
// of SQLite, which are the same everywhere.
func code(err error) int {
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		return coded.Code() & 0xff
	}
	text := err.Error()
	for _, c := range [...]struct {
		words string
		code  int
	}{
		{"database is locked", codeBusy}, {"readonly database", codeReadOnly},
		{"disk image is malformed", codeCorrupt}, {"disk is full", codeFull},
		{"unable to open database", codeCantOpen}, {"file is not a database", codeNotADB},
	} {
		if strings.Contains(text, c.words) {
			return c.code
		}
	}
	return 0
}

// placed is an error that says where it happened: nothing is added to it.
type placed struct{ err error }

func (p *placed) Error() string { return "sqlite: " + p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

// at makes an error of this package.
func at(format string, args ...any) error { return &placed{fmt.Errorf(format, args...)} }

// refusal is an error that was found before anything was written: the batch
// goes on without the request.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// refuse makes a refusal of a sentinel.
func refuse(sentinel error, format string, args ...any) error {
	return &refusal{at("%s: %w", fmt.Sprintf(format, args...), sentinel)}
}

// corrupt says which row is not what was written.
func corrupt(format string, args ...any) error {
	return at("%s: %w", fmt.Sprintf(format, args...), checkpoint.ErrCorrupt)
}

// failed makes of an error what callers are told: errors of the driver get
// their place and the sentinel they deserve; errors of contexts and of this
// package stay what they are.
func failed(what string, err error) error {
	var no *refusal
	var ours *placed
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &no):
		return no.err
	case errors.As(err, &ours):
		return err
	}
	if sentinel := sentinelOf(err); sentinel != nil {
		return at("%s: %w: %w", what, sentinel, err)
	}
	return at("%s: %w", what, err)
}

// sentinelOf returns the error that callers can branch on, nil for none. That
// something is missing which the package's own statements name means that the
// file no longer says so: its schema is damaged.
func sentinelOf(err error) error {
	switch code(err) {
	case codeError:
		if strings.Contains(err.Error(), "no such ") {
			return checkpoint.ErrCorrupt
		}
	case codeBusy:
		return ErrLocked
	case codeReadOnly:
		return ErrReadOnly
	case codeFull:
		return ErrFull
	case codeCorrupt, codeNotADB:
		return checkpoint.ErrCorrupt
	}
	return nil
}

// closed is what callers of a closed store are told.
func closed() error { return at("the store: %w", checkpoint.ErrClosed) }
