package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// recorder takes the failures of a check that is expected to fail.
type recorder struct {
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) FailNow() { runtime.Goexit() }

// outcome runs a check and returns what it found.
func outcome(run func(r *recorder)) []string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(r)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures
}

// judge runs one of the suite's checks on a store. What takes longer than the
// limit fails.
func judge(t *testing.T, name string, s checkpoint.Store, limit time.Duration) []string {
	all := storeChecks()
	i := slices.IndexFunc(all, func(c check) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "the suite has no check %q", name)
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	return outcome(func(r *recorder) { all[i].run(&bench{TestingT: r, ctx: ctx, store: s}) })
}

// faults are stores with one fault each, and the checks that must see it.
func faults() []struct {
	name  string
	store *broken
	seen  []string
} {
	type fault = struct {
		name  string
		store *broken
		seen  []string
	}
	ctx := context.Background()
	return []fault{
		{"parts are written one by one", &broken{append: piecemeal},
			[]string{"append/one bad head and no part is written", "append/one invalid part and no part is written", "append/a log cannot have two parts"}},
		{"heads are not compared", &broken{append: overwrite},
			[]string{"append/a head that is not the log's is a conflict", "append/one bad head and no part is written", "crowd/never two commits behind one head"}},
		{"what is invalid is passed over", &broken{append: func(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
			if err := w.Append(ctx, parts); !errors.Is(err, checkpoint.ErrInvalid) {
				return err
			}
			return nil
		}}, []string{"append/a commit must stand behind the head", "base/a commit is whole or rests on what the one before it rests on",
			"base/a commit goes on from an earlier one", "rows/that are not well-formed are refused with all the rest", "pending/not without a commit"}},
		{"every error is the same", &broken{append: func(_ checkpoint.Store, _ string, w checkpoint.Writer, parts []checkpoint.Part) error {
			if w.Append(ctx, parts) != nil {
				return errors.New("failed")
			}
			return nil
		}}, []string{"append/a head that is not the log's is a conflict", "claim/nothing is written after release", "take over/the old writer is fenced off"}},
		{"load returns one commit alone", fromLoad(func(l *checkpoint.Loaded) {
			if n := len(l.Commits); n > 1 {
				l.Commits = l.Commits[n-1:]
			}
		}), []string{"load/all that rebuilds a commit, from its base on", "prune/older commits go, later ones rest on it"}},
		{"load takes the newest for what is not there", &broken{load: func(l *checkpoint.Loaded, _ int64, err error) (*checkpoint.Loaded, error) {
			if errors.Is(err, checkpoint.ErrNotFound) {
				return &checkpoint.Loaded{}, nil
			}
			return l, err
		}}, []string{"load/a commit that is not there is not found", "prune/older commits go, later ones rest on it"}},
		{"readers share memory with writers", scrambling(), []string{"load/what a reader got stays as it was"}},
		{"commits have no time", fromLoad(func(l *checkpoint.Loaded) {
			for i := range l.Commits {
				l.Commits[i].At = time.Time{}
			}
		}), []string{"append/what was written comes back"}},
		{"what is pending stays when the head moves", &broken{append: lingering}, []string{"pending/gone when the head moves", "pending/in a part with commits it is behind the new head"}},
		{"what is pending goes unsorted", fromLoad(func(l *checkpoint.Loaded) { slices.Reverse(l.Pending) }), []string{"pending/kept before the step's end, sorted by key"}},
		{"nothing pending is removed", toAppend(func(p *checkpoint.Part) {
			p.Pending = slices.DeleteFunc(slices.Clone(p.Pending), func(e checkpoint.Pending) bool { return e.Body == nil })
		}), []string{"pending/replaced by key, removed by nil"}},
		{"an empty entry is none", toAppend(func(p *checkpoint.Part) {
			p.Pending = slices.DeleteFunc(slices.Clone(p.Pending), func(e checkpoint.Pending) bool { return len(e.Body) == 0 })
		}), []string{"pending/an empty body is an entry"}},
		{"names end at a NUL byte", named(func(l checkpoint.Log) checkpoint.Log {
			l.Thread, _, _ = strings.Cut(l.Thread, "\x00")
			return l
		}), []string{"isolation/threads of any names do not meet"}},
		{"names have no case", named(func(l checkpoint.Log) checkpoint.Log {
			l.Thread = strings.ToLower(l.Thread)
			return l
		}), []string{"isolation/threads of any names do not meet", "isolation/names are told back as they were given"}},
		{"names are cut when they are long", named(func(l checkpoint.Log) checkpoint.Log {
			l.Thread = l.Thread[:min(255, len(l.Thread))]
			return l
		}), []string{"isolation/threads of any names do not meet"}},
		{"runs within runs share a log", named(firstPart), []string{"isolation/namespaces do not meet"}},
		{"list gives no pages", toList(func(q *checkpoint.Query) { q.Limit = 0 }), []string{"list/a page at a time"}},
		{"list begins anew with each page", toList(func(q *checkpoint.Query) { q.Before = 0 }), []string{"list/a page at a time"}},
		{"list goes forwards", &broken{list: func(s checkpoint.Store, q checkpoint.Query) ([]checkpoint.Commit, error) {
			commits, err := s.List(ctx, q)
			slices.Reverse(commits)
			return commits, err
		}}, []string{"list/newest first, bodies only if asked for"}},
		{"list has bodies always", toList(func(q *checkpoint.Query) { q.Bodies = true }), []string{"list/newest first, bodies only if asked for"}},
		{"logs begin anew with each page", toLogs(func(q *checkpoint.LogQuery) { q.After = checkpoint.Log{} }),
			[]string{"logs/all threads, a page at a time", "logs/all logs of one thread, a page at a time"}},
		{"logs give no pages", toLogs(func(q *checkpoint.LogQuery) { q.Limit = 0 }), []string{"logs/all threads, a page at a time"}},
		{"logs go on behind a thread with the thread", toLogs(func(q *checkpoint.LogQuery) { q.After.NS = "" }), []string{"logs/all logs of one thread, a page at a time"}},
		{"a copy lacks what is pending", &broken{copied: func(s checkpoint.Store, from, to string) error {
			return errors.Join(s.Copy(ctx, from, to), forget(s, to))
		}}, []string{"copy/all namespaces, commits and pending entries"}},
		{"a copy goes over what is there", &broken{copied: func(s checkpoint.Store, from, to string) error {
			err := s.Copy(ctx, from, to)
			if errors.Is(err, checkpoint.ErrExists) {
				return nil
			}
			return err
		}}, []string{"copy/not over a thread that exists"}},
		{"a copy of nothing is none", &broken{copied: func(s checkpoint.Store, from, to string) error {
			if err := s.Copy(ctx, from, to); !errors.Is(err, checkpoint.ErrNotFound) {
				return err
			}
			return nil
		}}, []string{"copy/not of a thread that does not exist"}},
		{"nothing is deleted", &broken{del: func(checkpoint.Store, string) error { return nil }}, []string{"delete/all of a thread goes and it can begin again", "delete/not under a writer"}},
		{"nothing is pruned", &broken{prune: func(checkpoint.Store, string, checkpoint.Writer, string, *checkpoint.Commit) error { return nil }},
			[]string{"prune/older commits go, later ones rest on it", "prune/not at a commit that is not there", "prune/not to what is no whole state"}},
		{"namespaces of pruned commits stay", &broken{prune: undead}, []string{"prune/namespaces behind removed commits go", "prune/within a namespace"}},
		{"everybody may write", shared(), []string{"claim/a busy thread rejects", "claim/release twice", "claim/nothing is written after release", "claim/enqueue waits for the release",
			"crowd/many who wait for one thread, one at a time", "delete/not under a writer", "take over/the old writer is fenced off"}},
		{"nobody is fenced", &broken{claim: func(s checkpoint.Store, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
			return s.Claim(ctx, thread, min(busy, checkpoint.Enqueue))
		}}, []string{"take over/the old writer is fenced off"}},
		{"readers see half an append", &broken{append: slowly}, []string{"crowd/readers see appends whole"}},
		{"release frees nothing", &broken{free: func(checkpoint.Writer) error { return nil }}, []string{"claim/a busy thread rejects", "delete/all of a thread goes and it can begin again"}},
		{"contexts are not heard", &broken{deaf: true}, []string{"context/what is called with one that has ended does nothing", "context/a claim with one that has ended holds nothing", "claim/enqueue ends with its context"}},
		{"bytes end at a NUL byte", toAppend(func(p *checkpoint.Part) {
			p.Commits = slices.Clone(p.Commits)
			for i := range p.Commits {
				p.Commits[i].Body = cut(p.Commits[i].Body)
			}
		}), []string{"bytes/of any value", "append/what was written comes back"}},
		{"bytes have a limit", toAppend(func(p *checkpoint.Part) {
			p.Commits = slices.Clone(p.Commits)
			for i, c := range p.Commits {
				p.Commits[i].Body = c.Body[:min(len(c.Body), 1<<20)]
			}
		}), []string{"bytes/five megabytes"}},
		{"what is given is changed", toAppend(func(p *checkpoint.Part) {
			for i := range p.Commits {
				p.Commits[i].At = time.Unix(1, 0)
			}
		}), []string{"bytes/the caller's are not changed"}},
	}
}

// forget removes what is pending in a thread.
func forget(s checkpoint.Store, thread string) error {
	ctx := context.Background()
	w, err := s.Claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return err
	}
	defer w.Release()
	l, err := s.Load(ctx, checkpoint.Log{Thread: thread}, 0)
	if err != nil {
		return err
	}
	for i := range l.Pending {
		l.Pending[i].Body = nil
	}
	return w.Append(ctx, []checkpoint.Part{{Head: l.Head, Pending: l.Pending}})
}

func TestTheSuiteSeesFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range f.seen {
				s := *f.store
				s.Store = checkpoint.NewMemory(nil)
				require.NotEmpty(t, judge(t, name, &s, 2*time.Second), "%q does not see that %s", name, f.name)
			}
		})
	}
}

func TestTheSuitePassesWhatIsSound(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range storeChecks() {
		require.False(t, names[c.name], "two checks are called %q", c.name)
		names[c.name] = true
		require.Empty(t, judge(t, c.name, &broken{Store: checkpoint.NewMemory(nil)}, patience), "%q finds a fault where there is none", c.name)
	}
}
