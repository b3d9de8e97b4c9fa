// Package checkpointtest proves that a store of checkpoints keeps the
// contract of package checkpoint, and helps to test what stands on a store.
//
// A store's own tests call [Run] with a function that opens an empty store:
//
//	func TestStore(t *testing.T) {
//		checkpointtest.Run(t, func(t *testing.T) checkpoint.Store {
//			s, err := mystore.Open(t.TempDir())
//			require.NoError(t, err)
//			t.Cleanup(func() { s.Close() })
//			return s
//		})
//	}
//
// Each subtest has a name that says what it proves, and opens a store of its
// own. Long-term memory has [RunItems], and [RunItemsTTL] where the clock can
// be set.
//
// [Failing] wraps a store and makes a chosen call fail, before or after it
// was carried out: with it one can test that a program survives a failure at
// every single call.
//
// Where the contract leaves a store free, the suite accepts all of it; where
// it needs a decision, this is what the suite holds stores to:
//
//   - Names of threads are any bytes but none at all: Claim and Copy refuse
//     an empty one with ErrInvalid.
//   - What checkpoint.CheckParts, CheckBase and CheckWhole refuse is
//     ErrInvalid, and a Head that is not the log's is ErrConflict. Where both
//     hold, either will do.
//   - A commit is whole (its Base is its Seq) or has the Base of the commit
//     before it. The first one of a log is whole.
//   - Meta and Body that are empty may come back as nil, and the other way
//     round. An empty Body that is pending comes back empty, not nil.
//   - At is set once, to the same time for all readers, and a copy keeps it.
//   - A log or a thread that does not exist has no commits and no logs; that
//     is no error for Load, List, Logs and Delete.
//   - After Release, Append and Prune fail with ErrClosed. A writer that was
//     taken over from may fail with ErrFenced instead.
//   - TakeOver may wait for the old writer's Release, or not. Either way it
//     fences him at once.
//   - A thread that has a writer may be copied from. Copying to one that has
//     a writer, but no commits, fails with ErrBusy, or the writer's next
//     Append fails with ErrConflict.
package checkpointtest
