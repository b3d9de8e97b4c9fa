package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

// kilobyte is a body of 1 KB, which no compression would shrink.
func kilobyte(seed int64) []byte {
	out := make([]byte, 1024)
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

// step is commit seq of a log whose newest whole state is base.
func step(seq, base int64) checkpoint.Commit {
	return checkpoint.Commit{
		Seq: seq, Parent: seq - 1, Base: base, Step: int(seq), Source: "loop",
		Meta: []byte(`{"due":["node"]}`), Body: kilobyte(seq),
	}
}

// grow appends commits to a thread's log, one Append each.
func grow(t testing.TB, w checkpoint.Writer, from, to int64) {
	t.Helper()
	for seq := from; seq <= to; seq++ {
		part := checkpoint.Part{Head: seq - 1, Commits: []checkpoint.Commit{step(seq, 1)}}
		require.NoError(t, w.Append(t.Context(), []checkpoint.Part{part}))
	}
}

// fill appends commits in one Append. Whole states are every so many commits.
func fill(t testing.TB, s *sqlite.Store, thread string, n, every int64, body []byte) {
	t.Helper()
	w, err := s.Claim(t.Context(), thread, checkpoint.Reject)
	require.NoError(t, err)
	part := checkpoint.Part{}
	for seq, base := int64(1), int64(1); seq <= n; seq++ {
		if (seq-1)%every == 0 {
			base = seq
		}
		c := step(seq, base)
		if body != nil {
			c.Body = body
		}
		part.Commits = append(part.Commits, c)
	}
	require.NoError(t, w.Append(t.Context(), []checkpoint.Part{part}))
	require.NoError(t, w.Release())
}

// BenchmarkRawTransaction is the yardstick: one transaction that inserts as
// many bytes as an Append of BenchmarkAppend, with the same settings.
func BenchmarkRawTransaction(b *testing.B) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "raw.db")+"?_txlock=immediate"+
		"&_pragma=page_size(8192)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=wal_autocheckpoint(1024)")
	require.NoError(b, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE plain(id INTEGER PRIMARY KEY, body BLOB)`)
	require.NoError(b, err)
	insert, err := db.Prepare(`INSERT INTO plain(body) VALUES(?)`)
	require.NoError(b, err)
	body := kilobyte(1)
	for b.Loop() {
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tx.Stmt(insert).Exec(body); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	w, err := fresh(b, nil).Claim(b.Context(), "t", checkpoint.Reject)
	require.NoError(b, err)
	c := step(1, 1)
	for seq := int64(1); b.Loop(); seq++ {
		c.Seq, c.Parent = seq, seq-1
		if err := w.Append(b.Context(), []checkpoint.Part{{Head: seq - 1, Commits: []checkpoint.Commit{c}}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendPending is the save of a task's result of 1 KB, then the
// commit that makes it void.
func BenchmarkAppendPending(b *testing.B) {
	w, err := fresh(b, nil).Claim(b.Context(), "t", checkpoint.Reject)
	require.NoError(b, err)
	grow(b, w, 1, 1)
	c := step(1, 1)
	for seq := int64(2); b.Loop(); seq++ {
		save := checkpoint.Part{Head: seq - 1, Pending: []checkpoint.Pending{{Key: "0", Body: c.Body}}}
		c.Seq, c.Parent = seq, seq-1
		for _, p := range []checkpoint.Part{save, {Head: seq - 1, Commits: []checkpoint.Commit{c}}} {
			if err := w.Append(b.Context(), []checkpoint.Part{p}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkAppend64 appends from 64 goroutines to a thread each. What it tells
// is the time per commit, of all together.
func BenchmarkAppend64(b *testing.B) {
	s := fresh(b, nil)
	writers := make([]checkpoint.Writer, 64)
	for i := range writers {
		w, err := s.Claim(b.Context(), fmt.Sprint("thread ", i), checkpoint.Reject)
		require.NoError(b, err)
		writers[i] = w
	}
	b.ResetTimer()
	var all sync.WaitGroup
	for i, w := range writers {
		n := int64(b.N / len(writers))
		if i < b.N%len(writers) {
			n++
		}
		all.Go(func() { grow(b, w, 1, n) })
	}
	all.Wait()
}

func benchmarkLoad(b *testing.B, n, every int64, body []byte) {
	s := fresh(b, nil)
	fill(b, s, "t", n, every, body)
	for b.Loop() {
		l, err := s.Load(b.Context(), checkpoint.Log{Thread: "t"}, 0)
		if err != nil || l.Head != n {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad2000 reads 2,000 commits of 1 KB.
func BenchmarkLoad2000(b *testing.B) { benchmarkLoad(b, 2000, 2000, nil) }

// BenchmarkLoad300Of10000 reads the newest 300 of 10,000 small commits.
func BenchmarkLoad300Of10000(b *testing.B) {
	benchmarkLoad(b, 10_000-100+300, 300, []byte("a small change"))
}

// BenchmarkLoadNewest reads a commit that is whole.
func BenchmarkLoadNewest(b *testing.B) { benchmarkLoad(b, 100, 1, nil) }

func BenchmarkList100(b *testing.B) {
	s := fresh(b, nil)
	fill(b, s, "t", 10_000, 10_000, nil)
	for b.Loop() {
		if _, err := s.List(b.Context(), checkpoint.Query{Log: checkpoint.Log{Thread: "t"}, Limit: 100}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaim is a claim and its release.
func BenchmarkClaim(b *testing.B) {
	s := fresh(b, nil)
	fill(b, s, "t", 1, 1, nil)
	for b.Loop() {
		w, err := s.Claim(b.Context(), "t", checkpoint.Reject)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is a short run: a claim, three steps, the release.
func BenchmarkRun(b *testing.B) {
	s := fresh(b, nil)
	i := 0
	for b.Loop() {
		w, err := s.Claim(b.Context(), fmt.Sprint(i), checkpoint.Reject)
		if err != nil {
			b.Fatal(err)
		}
		grow(b, w, 1, 3)
		if err := w.Release(); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
