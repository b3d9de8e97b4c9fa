// Package sqlite keeps threads, and long-term memory, in one SQLite file. It
// needs no server and no cgo, and any number of processes on one machine may
// have the same file open.
//
// [Open] opens a file and makes it if need be. The [Store] implements
// checkpoint.Store, what [Store.Items] returns implements checkpoint.Items.
//
// # What is stored where
//
// Beside the file x.db lie x.db-wal and x.db-shm, which are SQLite's and go
// when the last process closes the file, and x.db-lock, which is empty and
// stays. Copy or move them together, or close the file first; never delete
// x.db-lock while a process has the file open.
//
//	threads     name, fence                                    one row a thread
//	logs        thread, ns, head, base, first, commits, pending   one row a log
//	commits     log, seq, prev, parent, base, step, source, at, meta, body
//	pending     log, key, body                         goes when the head moves
//	items       ns, key, ttl, created, updated, expires, value
//	row_tables  name                             which tables hold index rows
//	history     a view: all commits with thread, namespace and time as text
//
// Each row has a checksum of all its columns (sum: CRC-32C, that of the body
// in the upper half), which every read verifies. A commit names the one before
// it (prev), so that a missing one is noticed as well; so do the counts of
// threads and logs. What is not as it was written is checkpoint.ErrCorrupt.
// [Store.Check] reads the whole file.
//
// An index row goes to the table that it names, with the columns thread, ns,
// seq and key, and those of the row, which have no declared type. The table,
// its columns and its indexes are made when they are first needed. An index is
// named after its table and columns: "handoffs by thread, sender".
//
// # How to look into it
//
// The file can be read with the sqlite3 tool at any time, also while it is
// written to:
//
//	sqlite3 -readonly x.db "SELECT * FROM history WHERE thread = 'ada' AND ns = '' ORDER BY seq"
//	sqlite3 -readonly x.db "SELECT name, ns, head, commits, pending FROM logs JOIN threads t ON t.id = thread"
//	sqlite3 -readonly x.db "SELECT cast(body AS text) FROM commits WHERE log = 1 AND seq = 7"
//	sqlite3 -readonly x.db "SELECT replace(cast(ns AS text), char(0), '/'), key, cast(value AS text) FROM items"
//
// A program in Go must not open x.db itself while it has a Store of it: on
// most systems closing a file takes away the locks that SQLite has on it.
//
// # Settings, and what they may lose
//
// The file has a write-ahead log, so that readers and the writer do not wait
// for one another. It is folded into the file when it has 8 MiB, and when the
// Store is closed. Pages have 8 KiB. A transaction begins with the right to
// write, for which it waits [Config.BusyTimeout].
//
//	                        process killed     loss of power
//	Full (default)          nothing            nothing
//	Normal                  nothing            the newest commits, whole ones
//
// What may be lost is always the end: a commit that is there has all that
// came before it, in whatever thread. What the disk itself promises and does
// not keep is beyond any setting.
//
// One goroutine writes. What is asked for while it is busy goes into one
// transaction, up to 64 requests, and shares one sync; who comes alone does
// not wait for others. A request that fails does not make others fail. What
// was pending behind a commit that moves on in the same transaction is not
// written at all.
//
// # Who may write to a thread
//
// See [Store.Claim]: a lock of the operating system, free at the instant its
// process dies, and behind it a fence and the comparison of heads. It works on
// Linux, macOS and Windows, and where the file system has locks: on those of
// networks SQLite itself is not safe.
package sqlite
