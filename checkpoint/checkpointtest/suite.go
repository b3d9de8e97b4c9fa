package checkpointtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// patience is how long a check may take before it counts as hanging.
const patience = 2 * time.Minute

// check is one thing that stores must do.
type check struct {
	name string
	run  func(b *bench)
}

// Run checks that stores which open makes keep the contract of
// checkpoint.Store, one subtest for each thing that is proved. Each calls open
// once, for an empty store; closing it is for open to arrange, by t.Cleanup.
// Subtests run one after the other.
func Run(t *testing.T, open func(t *testing.T) checkpoint.Store) {
	t.Helper()
	for _, c := range storeChecks() {
		t.Run(c.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			c.run(&bench{TestingT: t, ctx: ctx, store: open(t)})
		})
	}
}

// storeChecks returns all checks of stores.
func storeChecks() []check {
	var all []check
	for _, part := range [][]check{
		appendChecks(), baseChecks(), loadChecks(), pendingChecks(), isolationChecks(),
		listChecks(), logsChecks(), copyChecks(), deleteChecks(), pruneChecks(),
		claimChecks(), takeOverChecks(), crowdChecks(), contextChecks(), byteChecks(), rowChecks(),
	} {
		all = append(all, part...)
	}
	return all
}

// bench is a store on which a check works, and where failures are told.
type bench struct {
	require.TestingT
	ctx   context.Context
	store checkpoint.Store
}

// claim takes a thread that must be free.
func (b *bench) claim(thread string) checkpoint.Writer {
	w, err := b.store.Claim(b.ctx, thread, checkpoint.Reject)
	require.NoError(b, err, "claiming thread %q, which is free", thread)
	require.NotNil(b, w)
	return w
}

// append writes parts that must be taken.
func (b *bench) append(w checkpoint.Writer, parts ...checkpoint.Part) {
	require.NoError(b, w.Append(b.ctx, parts), "an append that keeps all rules")
}

// release gives a thread free.
func (b *bench) release(w checkpoint.Writer) {
	require.NoError(b, w.Release(), "release")
}

// begin makes a thread with the given parts, and leaves it free.
func (b *bench) begin(thread string, parts ...checkpoint.Part) {
	w := b.claim(thread)
	b.append(w, parts...)
	b.release(w)
}

// load reads a commit that must be there, 0 for the newest.
func (b *bench) load(thread, ns string, at int64) *checkpoint.Loaded {
	l, err := b.store.Load(b.ctx, checkpoint.Log{Thread: thread, NS: ns}, at)
	require.NoError(b, err, "loading thread %q, namespace %q, commit %d", thread, ns, at)
	require.NotNil(b, l)
	return l
}

// list reads commits.
func (b *bench) list(q checkpoint.Query) []checkpoint.Commit {
	commits, err := b.store.List(b.ctx, q)
	require.NoError(b, err, "listing thread %q, namespace %q", q.Thread, q.NS)
	return commits
}

// logs reads what logs there are.
func (b *bench) logs(q checkpoint.LogQuery) []checkpoint.LogInfo {
	infos, err := b.store.Logs(b.ctx, q)
	require.NoError(b, err, "the logs of thread %q", q.Thread)
	return infos
}

// refused checks that an error is one of those that a caller would branch on.
func (b *bench) refused(err error, what string, want ...error) {
	require.Error(b, err, what)
	for _, w := range want {
		if errors.Is(err, w) {
			return
		}
	}
	require.Failf(b, "another error than the contract's", "%s: got %q, want one of %q", what, err, want)
}

// holds checks the numbers of the commits of a log, oldest first.
func (b *bench) holds(thread, ns string, want ...int64) {
	listed := b.list(checkpoint.Query{Log: checkpoint.Log{Thread: thread, NS: ns}})
	var got []int64
	for i := range listed {
		got = append(got, listed[len(listed)-1-i].Seq)
	}
	require.Equal(b, want, got, "the commits of thread %q, namespace %q", thread, ns)
	var head int64
	if len(want) > 0 {
		head = want[len(want)-1]
	}
	require.Equal(b, head, b.load(thread, ns, 0).Head, "the head of thread %q, namespace %q", thread, ns)
}
