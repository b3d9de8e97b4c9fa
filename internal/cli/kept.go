package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// Memory is a store for the place "memory:".
type Memory struct {
	Threads checkpoint.Store
	Items   checkpoint.Items
}

// kept is an open store.
type kept struct {
	place
	store checkpoint.Store
	items checkpoint.Items
	close func() error
}

// access is what a command does with a store.
type access int

const (
	creating access = iota // it is made if there is none
	changing               // there must be one
	reading                // and nothing is written to it
)

// missing is the error of a store that must exist and does not.
type missing struct{ place place }

// Error names the store.
func (m *missing) Error() string { return "the store " + m.place.text + " does not exist" }

// where finds out where threads are kept.
func (a *app) where(f *flags) (place, error) {
	if f.store != "" {
		return placeOf(f.store)
	}
	return defaultPlace(runtime.GOOS, a.Getenv)
}

// open opens the store that the flags name. It must be closed.
func (a *app) open(ctx context.Context, f *flags, how access) (*kept, error) {
	p, err := a.where(f)
	if err != nil {
		return nil, err
	}
	if p.path == "" {
		return a.openMemory(p), nil
	}
	switch _, err := os.Stat(p.path); {
	case how != creating && errors.Is(err, fs.ErrNotExist):
		return nil, &missing{p}
	case how == creating && !p.chosen:
		if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
			return nil, fmt.Errorf("%w: the directory of threads: %w", graph.ErrStore, err)
		}
	}
	s, err := sqlite.Open(ctx, p.path, &sqlite.Config{Now: a.Now, ReadOnly: how == reading})
	if err != nil {
		return nil, stoppedOr(ctx, fmt.Errorf("%w: %w", graph.ErrStore, err))
	}
	return &kept{p, s, s.Items(), s.Close}, nil
}

func (a *app) openMemory(p place) *kept {
	if a.Memory != nil {
		return &kept{p, a.Memory.Threads, a.Memory.Items, func() error { return nil }}
	}
	cfg := &checkpoint.MemoryConfig{Now: a.Now}
	return &kept{p, checkpoint.NewMemory(cfg), checkpoint.NewMemoryItems(cfg), func() error { return nil }}
}

// passing reports whether what is kept ends with the command.
func (a *app) passing(p place) bool { return p.path == "" && a.Memory == nil }
