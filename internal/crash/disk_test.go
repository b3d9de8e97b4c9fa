package crash_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// trouble is a thread whose store gets into trouble and out of it again.
type trouble struct {
	*drive
	dir   string
	ref   *reference
	watch *watch
}

func newTrouble(t *testing.T, name string, mode graph.Durability) *trouble {
	d, err := newDrive(name, &world{ledger: &ledger{}}, mode)
	require.NoError(t, err)
	return &trouble{d, t.TempDir(), undisturbed(t, name, mode), &watch{mode: mode}}
}

// turns makes up to n turns with a store, until one fails.
func (b *trouble) turns(ctx context.Context, s checkpoint.Store, n int) error {
	for range n {
		m, err := b.next(ctx, s)
		if errors.Is(err, errOver) {
			return nil
		}
		if err != nil {
			return err
		}
		b.world.ledger.begin()
		b.watch.history = append(b.watch.history, nil)
		if err := expected(b.run(ctx, s, m)); err != nil {
			return err
		}
	}
	return nil
}

// as says that the thread is where a run once was, in a file that is whole.
func (b *trouble) as(t *testing.T, s checkpoint.Store) {
	c, err := read(t.Context(), b.graph, s, b.thread, past)
	require.NoError(t, err)
	require.NoError(t, b.ref.begins(c))
	if turn := b.world.ledger.turn; turn > 0 {
		b.watch.history[turn-1] = c
	}
}

// over takes the thread to its end with a store that is well again.
func (b *trouble) over(t *testing.T, cfg *sqlite.Config) {
	s := openFile(t, fileIn(b.dir), cfg)
	b.as(t, s)
	require.NoError(t, b.turns(t.Context(), s, mostTurns))
	require.NoError(t, b.tell(t.Context(), s))
	require.NoError(t, b.table(t.Context(), s, fileIn(b.dir)))
	c, err := read(t.Context(), b.graph, s, b.thread, whole)
	require.NoError(t, err)
	require.NoError(t, b.ref.equals(c))
	lines, err := b.world.ledger.effects()
	require.NoError(t, err)
	require.NoError(t, b.ref.outcome(b.world.ledger, lines))
	require.NoError(t, b.watch.check(b.ref, lines))
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, intact(t.Context(), fileIn(b.dir)))
}

// requireStoreError says that an error is one of the store, and why.
func requireStoreError(t *testing.T, err error, why ...error) {
	t.Helper()
	require.ErrorIs(t, err, graph.ErrStore)
	var placed *graph.Error
	require.ErrorAs(t, err, &placed)
	require.Equal(t, graph.KindStore, placed.Kind(), "%v", err)
	require.NotContains(t, err.Error(), "\n")
	for _, w := range why {
		require.ErrorIs(t, err, w)
	}
}

// fill writes to a thread until nothing more fits into the file.
func fill(t *testing.T, s checkpoint.Store, name string) {
	w, err := s.Claim(t.Context(), name, checkpoint.Reject)
	require.NoError(t, err)
	head := int64(0)
	for _, size := range []int{4000, 400, 40, 4} {
		for err = nil; err == nil; {
			c := checkpoint.Commit{Seq: head + 1, Parent: head, Base: head + 1, Source: "input", Meta: []byte("{}"), Body: make([]byte, size)}
			if err = w.Append(t.Context(), []checkpoint.Part{{Head: head, Commits: []checkpoint.Commit{c}}}); err == nil {
				head++
			}
		}
		require.ErrorIs(t, err, sqlite.ErrFull)
	}
	require.NoError(t, w.Release())
}

// TestDiskThatWasFullBefore: whatever needs room fails. What was written in
// other threads is there.
func TestDiskThatWasFullBefore(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		for _, name := range graphNames {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				b := newTrouble(t, name, m.mode)
				s := openFile(t, fileIn(b.dir), &sqlite.Config{MaxBytes: 128 << 10, Synchronous: sqlite.Normal})
				fill(t, s, "other")
				list, err := s.List(t.Context(), checkpoint.Query{Log: checkpoint.Log{Thread: "other"}, Bodies: true})
				require.NoError(t, err)
				requireStoreError(t, b.turns(t.Context(), s, mostTurns), sqlite.ErrFull)
				b.as(t, s)
				b.over(t, nil)
				again, err := s.List(t.Context(), checkpoint.Query{Log: checkpoint.Log{Thread: "other"}, Bodies: true})
				require.NoError(t, err)
				require.Equal(t, list, again)
			})
		}
	}
}

// TestFullDisk fills the disk at many places of a run.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, m := range modes[:2] { // the third writes only once
		for _, name := range []string{"nested", "long", "questions"} {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				full := 0
				step := int64(8 << 10)
				if name == "long" {
					step = 40 << 10
				}
				for room := int64(0); ; room += step {
					b := newTrouble(t, name, m.mode)
					small, err := sqlite.Open(t.Context(), fileIn(b.dir), nil) // the file as it is when it is new
					require.NoError(t, err)
					require.NoError(t, small.Close())
					info, err := os.Stat(fileIn(b.dir))
					require.NoError(t, err)
					s := openFile(t, fileIn(b.dir), &sqlite.Config{MaxBytes: info.Size() + room, Synchronous: sqlite.Normal})
					err = b.turns(t.Context(), s, mostTurns)
					if err == nil {
						break
					}
					requireStoreError(t, err, sqlite.ErrFull)
					full++
					b.as(t, s)
					b.over(t, &sqlite.Config{Synchronous: sqlite.Normal})
				}
				t.Logf("full at %d places", full)
				require.Positive(t, full)
			})
		}
	}
}

// TestStoreThatIsOnlyRead: the thread can be looked at, and is as it was.
func TestStoreThatIsOnlyRead(t *testing.T) {
	t.Parallel()
	b := newTrouble(t, "questions", graph.DurabilitySync)
	s := openFile(t, fileIn(b.dir), nil)
	require.NoError(t, b.turns(t.Context(), s, 1))
	require.NoError(t, s.Close())
	only, err := sqlite.Open(t.Context(), fileIn(b.dir), &sqlite.Config{ReadOnly: true})
	require.NoError(t, err)
	requireStoreError(t, b.turns(t.Context(), only, 1), sqlite.ErrReadOnly)
	b.as(t, only)
	require.NoError(t, only.Close())
	b.over(t, nil)
}

// TestFileThatMayNotBeWritten takes the rights from a process that has some of
// the run behind it, for the file and for its directory.
func TestFileThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"file", "directory"} {
		t.Run(what, func(t *testing.T) {
			b := newTrouble(t, "questions", graph.DurabilitySync)
			s := openFile(t, fileIn(b.dir), nil)
			require.NoError(t, b.turns(t.Context(), s, 1))
			m, err := b.next(t.Context(), s)
			require.NoError(t, err)
			require.NoError(t, s.Close())
			o := &order{Dir: b.dir, Graph: "questions", Turn: 2, Move: m, Nobody: os.Geteuid() == 0}
			restore := protect(t, b.dir, what)
			c, err := start(o)
			require.NoError(t, err)
			killed, err := c.end()
			require.False(t, killed)
			require.ErrorContains(t, err, "sqlite: ")
			require.Contains(t, err.Error(), sqlite.ErrReadOnly.Error())
			restore()
			b.over(t, nil)
		})
	}
}

// protect takes the right to write from a file, or from its directory, and
// returns what gives it back.
func protect(t *testing.T, dir, what string) (restore func()) {
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.Chmod(filepath.Join(dir, f.Name()), 0o666))
	}
	top := filepath.Dir(dir) // of the test's temporary directories, which only their owner may enter
	require.NoError(t, os.Chmod(top, 0o755))
	path, closed, open := fileIn(dir), os.FileMode(0o444), os.FileMode(0o644)
	require.NoError(t, os.Chmod(dir, 0o777))
	if what == "directory" {
		path, closed, open = dir, 0o555, 0o755
	}
	require.NoError(t, os.Chmod(path, closed))
	return func() { require.NoError(t, os.Chmod(path, open)) }
}

// TestFileThatGoesAway removes the file, or puts another one in its place,
// while the store has it open: nothing may be written to where nobody looks.
func TestFileThatGoesAway(t *testing.T) {
	t.Parallel()
	b := newTrouble(t, "questions", graph.DurabilitySync)
	s, err := sqlite.Open(t.Context(), fileIn(b.dir), nil)
	require.NoError(t, err)
	require.NoError(t, b.turns(t.Context(), s, 1))
	aside := filepath.Join(t.TempDir(), "aside")
	require.NoError(t, os.Mkdir(aside, 0o700))
	moved := moveAll(t, b.dir, aside)
	m := move{} // what is open cannot be asked for
	b.world.ledger.begin()
	b.watch.history = append(b.watch.history, nil)
	err = b.run(t.Context(), s, m)
	requireStoreError(t, err, sqlite.ErrGone)
	_ = s.Close() // which tells that the file is gone, or not
	for _, name := range moved {
		require.NoError(t, os.Rename(filepath.Join(aside, name), filepath.Join(b.dir, name)))
	}
	b.over(t, nil)
}

// moveAll moves all files of a directory to another and returns their names.
func moveAll(t *testing.T, from, to string) (names []string) {
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.Rename(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())))
		names = append(names, f.Name())
	}
	return names
}

// TestStoreThatIsClosedInTheMiddle closes the store at each effect of a run.
func TestStoreThatIsClosedInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		for _, name := range []string{"loop", "questions"} {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				closed := 0
				for n := 1; n < 40; n += 9 {
					b := newTrouble(t, name, m.mode)
					s, err := sqlite.Open(t.Context(), fileIn(b.dir), &sqlite.Config{Synchronous: sqlite.Normal})
					require.NoError(t, err)
					done := make(chan error, 1)
					b.world.ledger.at(n, func() { go func() { done <- s.Close() }() })
					err = b.turns(t.Context(), s, mostTurns)
					require.NoError(t, <-done)
					if err != nil {
						closed++
						requireStoreError(t, err, checkpoint.ErrClosed)
					}
					b.over(t, &sqlite.Config{Synchronous: sqlite.Normal})
				}
				t.Logf("%d runs were ended", closed)
				require.Positive(t, closed)
			})
		}
	}
}

// at calls a function when the n-th line is written.
func (l *ledger) at(n int, call func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alarm = func() {
		if len(l.lines) == n {
			call()
		}
	}
}
