package checkpoint

import (
	"context"
	"time"
)

// Store keeps the logs of threads. Everything in it is bytes: what they mean
// is the engine's business. All methods may be called by many goroutines, and
// by several processes where the store says so. They end with the context's
// error when it ends, and a write that returned an error has left no trace.
type Store interface {
	// Claim makes the caller the thread's only writer, until he releases the
	// Writer or another one takes the thread over. What happens if the thread
	// has a writer is what busy says. A thread need not exist.
	Claim(ctx context.Context, thread string, busy Busy) (Writer, error)

	// Load returns the commit `at` of a log, 0 for the newest, with all that
	// is needed to rebuild its state, and what is pending behind it. A log
	// without commits has Head 0 and is not an error; a commit that does not
	// exist is ErrNotFound.
	Load(ctx context.Context, log Log, at int64) (*Loaded, error)

	// List returns the commits of a log, newest first, a page at a time.
	List(ctx context.Context, q Query) ([]Commit, error)

	// Logs returns what logs there are, by thread and namespace, a page at a
	// time.
	Logs(ctx context.Context, q LogQuery) ([]LogInfo, error)

	// Copy copies a thread, all its namespaces, commits and pending entries,
	// to a thread that must not exist yet (ErrExists).
	Copy(ctx context.Context, from, to string) error

	// Delete removes a thread with all its namespaces. A thread that does not
	// exist is no error; one that has a writer is ErrBusy.
	Delete(ctx context.Context, thread string) error
}

// Tabular is a Store that tells whether it keeps the rows of commits. One that
// does not need not be given any; a Store that is not Tabular is given them.
type Tabular interface {
	HasTables() bool
}

// Writer is the right to write to one thread. Its methods may be called by
// several goroutines; what is appended in one call becomes visible as one.
type Writer interface {
	// Append writes all parts or none. When it returns without an error they
	// are as durable as the store promises. It keeps nothing of the parts and
	// changes nothing in them: when it has returned the caller may use their
	// memory again. Errors are ErrConflict if a part's Head is not the head
	// of its log, ErrFenced if another writer has taken the thread over.
	Append(ctx context.Context, parts []Part) error

	// Prune makes the commit the oldest of its log: whole replaces the commit
	// of the same Seq and must hold a whole state (its Base is its Seq); older
	// ones are removed, later ones rest on it if they rested on an older one.
	// Namespaces of tasks behind removed commits go as well. A commit that is
	// not there is ErrNotFound.
	Prune(ctx context.Context, ns string, whole *Commit) error

	// Lost is closed when the Writer learns that another one has taken the
	// thread over. Learning it may take until the next Append.
	Lost() <-chan struct{}

	// Release gives the thread free. Calling it again does nothing.
	Release() error
}

// Busy says what Claim does about a thread that has a writer.
type Busy uint8

// What Claim can do about a busy thread.
const (
	Reject   Busy = iota // fail with ErrBusy
	Enqueue              // wait until it is free, or the context ends
	TakeOver             // fence the writer off, then wait until he has gone
)

// Log names one log: that of a thread, or of a subgraph's run within it.
type Log struct {
	Thread string
	NS     string // "": the thread's own; else made by Child
}

// Commit is one entry of a log: what a superstep, an input, an update or a
// fork did to the state, and what is due then.
type Commit struct {
	Seq    int64     // its place: greater than that of every earlier commit, at least 1; there may be gaps
	Parent int64     // the commit that it goes on from; 0: none
	Base   int64     // the newest commit up to this one that holds a whole state; all between them are needed to rebuild this one's
	Step   int       // number of the superstep
	Source string    // "input", "loop", "update" or "fork"
	At     time.Time // when it was stored; set by the store
	Meta   []byte    // what is due, small; returned by List as well
	Body   []byte    // the change of the state, or the whole state
	Index  []Row     // rows for tables beside the log, where the store has tables; never returned
}

// Part is what one Append does to one log.
type Part struct {
	NS      string
	Head    int64     // the Seq of the log's newest commit, 0 if it has none; else ErrConflict
	Commits []Commit  // appended in order; whatever was pending goes
	Pending []Pending // kept behind the head that the log then has
}

// Pending is something kept behind a log's newest commit until the next one:
// the result of a task that has finished, an answer.
type Pending struct {
	Key  string // entries of one Key replace each other
	Body []byte // nil removes the entry
}

// Loaded is what Load returns. The bytes must not be changed.
type Loaded struct {
	Head    int64     // of the log; 0: it has no commits
	Commits []Commit  // from the wanted commit's Base to itself, oldest first
	Pending []Pending // behind the wanted commit, sorted by Key; only the head has any
}

// Query asks for commits of a log.
type Query struct {
	Log
	Before int64 // only commits with a smaller Seq; 0: from the newest on
	Limit  int   // at most so many; 0 or less: all
	Bodies bool  // with their Body
}

// LogQuery asks for logs.
type LogQuery struct {
	Thread string // only those of this thread; "": the own log of every thread
	After  Log    // only logs behind it, by thread and namespace; zero: from the first on
	Limit  int    // at most so many; 0 or less: all
}

// LogInfo describes a log.
type LogInfo struct {
	Log
	Head    int64
	Step    int       // of the newest commit
	Source  string    // of the newest commit
	At      time.Time // of the newest commit
	Meta    []byte    // of the newest commit
	Commits int       // how many there are
	Pending int       // how many entries are pending behind the newest commit
}

// Row is a row of a table beside the log, written in the same transaction as
// its commit: for questions that people ask in SQL. A row of the same thread,
// table and key is replaced. Rows go with their thread.
type Row struct {
	Table   string // lower-case letters, digits and underscores, a letter first
	Key     string
	Columns []Column
	// Indexes are lists of columns, of the row or the store's own, by which
	// people look for rows of the table: a store that has tables makes an index
	// of each when it first sees it, and keeps it. Nil: rows are looked for by
	// thread and key, of which there is one anyway.
	Indexes [][]string
}

// Column is a named value of a Row.
type Column struct {
	Name  string // as a table's; "thread", "ns", "seq" and "key" are taken
	Value any    // nil, bool, int64, float64, string or []byte, or a ThreadName
}

// ThreadName is the value of a Column that is the name of the thread that its row
// belongs to, for who makes rows and does not know it: the store puts it in as a
// string.
type ThreadName struct{}
