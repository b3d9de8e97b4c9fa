package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// everyLog asks for one thread, so that the file has really been read.
var everyLog = checkpoint.LogQuery{Limit: 1}

func open(tb testing.TB, path string) *sqlite.Store {
	s, err := sqlite.Open(context.Background(), path, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// BenchmarkSQLiteStep is the loop of the 8-field state in an SQLite file, by
// durability, beside bare transactions that insert as many bytes each.
func BenchmarkSQLiteStep(b *testing.B) {
	const steps = 200
	h := newHandles8()
	g, err := h.loop(steps)
	require.NoError(b, err)
	for _, mode := range []struct {
		name string
		d    graph.Durability
	}{{"sync", graph.DurabilitySync}, {"async", graph.DurabilityAsync}, {"exit", graph.DurabilityExit}} {
		b.Run(mode.name, func(b *testing.B) {
			kept, i := g.On(open(b, filepath.Join(b.TempDir(), "bench.db")), nil), 0
			for b.Loop() {
				i++
				_, err := kept.Invoke(context.Background(), nil, &graph.RunConfig{Thread: fmt.Sprint(i), Durability: mode.d})
				require.NoError(b, err)
			}
			per(b, steps)
		})
	}
	b.Run("bare", func(b *testing.B) {
		db := bare(b)
		row := []byte(`{"due":{"t":["work"]}}[["n","replace",5],["log","append",[4]]]`)
		for b.Loop() {
			for range steps {
				insert(b, db, row)
			}
		}
		per(b, steps)
	})
}

// bare is a database with a plain table, with the settings of the store.
func bare(tb testing.TB) *sql.DB {
	path := filepath.Join(tb.TempDir(), "bare.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	_, err = db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)")
	require.NoError(tb, err)
	return db
}

// insert is one transaction that inserts one row.
func insert(tb testing.TB, db *sql.DB, row []byte) {
	tx, err := db.Begin()
	require.NoError(tb, err)
	_, err = tx.Exec("INSERT INTO t (body) VALUES (?)", row)
	require.NoError(tb, err)
	require.NoError(tb, tx.Commit())
}

// BenchmarkSQLiteThreads is the same loop on one thread, and on 64 at once.
func BenchmarkSQLiteThreads(b *testing.B) {
	const steps = 100
	h := newHandles8()
	g, err := h.loop(steps)
	require.NoError(b, err)
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			kept, i := g.On(open(b, filepath.Join(b.TempDir(), "bench.db")), nil), 0
			for b.Loop() {
				i++
				var all sync.WaitGroup
				for k := range n {
					all.Go(func() {
						_, err := kept.Invoke(context.Background(), nil, &graph.RunConfig{Thread: fmt.Sprintf("%d-%d", i, k)})
						if err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
			}
			per(b, steps*n)
		})
	}
}

// talk is a conversation that gets a message of a kilobyte at each step.
type talk struct {
	Messages []state.Message `json:"messages"`
	N        int             `json:"n"`
}

func newTalk(tb testing.TB, steps int) *graph.Graph[talk] {
	messages := state.NewMessages("messages", func(s *talk) *[]state.Message { return &s.Messages })
	n := state.NewCounter("n", func(s *talk) *int { return &s.N })
	b := graph.New(state.MustSchema(messages, n))
	var cmd graph.Commands[talk]
	b.AddNode("speak", func(_ context.Context, s talk) (graph.Command[talk], error) {
		m := state.Text(state.RoleAI, strings.Repeat("word ", 200))
		m.ID = fmt.Sprintf("m%05d", s.N)
		return cmd.Update(messages.Add(m), n.Add(1)), nil
	}, nil)
	b.AddEdge(graph.Start, "speak")
	b.AddChoice("speak", func(s talk) string {
		if s.N < steps {
			return "speak"
		}
		return graph.End
	}, "speak", graph.End)
	g, err := b.Compile(&unbounded)
	require.NoError(tb, err)
	return g
}

// BenchmarkTalk reads a thread of so many steps: its newest state, beside
// reading as many bytes from a plain table, and a page of its history. The
// file's size is told in multiples of the messages.
func BenchmarkTalk(b *testing.B) {
	for _, steps := range []int{200, 2_000} {
		path := filepath.Join(b.TempDir(), "talk.db")
		store, err := sqlite.Open(context.Background(), path, nil)
		require.NoError(b, err)
		g := newTalk(b, steps).On(store, nil)
		_, err = g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Durability: graph.DurabilityAsync})
		require.NoError(b, err)
		require.NoError(b, store.Close())
		file, err := os.Stat(path)
		require.NoError(b, err)
		g = g.On(open(b, path), nil)
		b.Run(fmt.Sprintf("state/%d", steps), func(b *testing.B) {
			for b.Loop() {
				s, err := g.State(context.Background(), "t", "")
				if err != nil || len(s.Values.Messages) != steps {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(file.Size())/float64(steps)/1000, "bytes/message-byte")
		})
		b.Run(fmt.Sprintf("history20/%d", steps), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range g.History(context.Background(), "t", &graph.HistoryConfig{Limit: 20}) {
					require.NoError(b, err)
					n++
				}
				require.Equal(b, 20, n)
			}
		})
		message, err := json.Marshal(talk{Messages: []state.Message{state.Text(state.RoleAI, strings.Repeat("word ", 200))}})
		require.NoError(b, err)
		db := bare(b)
		for range steps {
			insert(b, db, message)
		}
		b.Run(fmt.Sprintf("read/%d", steps), func(b *testing.B) {
			for b.Loop() {
				require.Equal(b, steps*len(message), read(b, db, nil))
			}
		})
		b.Run(fmt.Sprintf("readAndDecode/%d", steps), func(b *testing.B) {
			for b.Loop() {
				read(b, db, func(row []byte) {
					var t talk
					require.NoError(b, json.Unmarshal(row, &t))
				})
			}
		})
	}
}

// read reads a plain table and returns how many bytes it holds.
func read(b *testing.B, db *sql.DB, each func([]byte)) (size int) {
	rows, err := db.Query("SELECT id, body FROM t ORDER BY id")
	require.NoError(b, err)
	var id int
	var body []byte
	for rows.Next() {
		if err := rows.Scan(&id, &body); err != nil {
			b.Fatal(err)
		}
		if size += len(body); each != nil {
			each(body)
		}
	}
	require.NoError(b, rows.Close())
	return size
}

// BenchmarkResume opens a file and goes on with a thread of 10,000 steps that
// is done, beside opening the file alone.
func BenchmarkResume(b *testing.B) {
	path := filepath.Join(b.TempDir(), "long.db")
	store, err := sqlite.Open(context.Background(), path, nil)
	require.NoError(b, err)
	g, err := newHandles8().loop(10_000)
	require.NoError(b, err)
	_, err = g.On(store, nil).Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Durability: graph.DurabilityAsync})
	require.NoError(b, err)
	require.NoError(b, store.Close())
	for _, resume := range []bool{false, true} {
		b.Run(map[bool]string{false: "open", true: "resume"}[resume], func(b *testing.B) {
			for b.Loop() {
				store, err := sqlite.Open(context.Background(), path, nil)
				require.NoError(b, err)
				if _, err := store.Logs(context.Background(), everyLog); err != nil {
					b.Fatal(err)
				}
				if resume {
					out, err := g.On(store, nil).Resume(context.Background(), graph.Answers{}, &graph.RunConfig{Thread: "t"})
					if err != nil || out.State.N != 10_000 {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				require.NoError(b, store.Close())
				b.StartTimer()
			}
		})
	}
}
