package sqlite

// application marks a file as one of this package: PRAGMA application_id,
// "grun" in ASCII.
const application = 0x6772756e

// pageSize is what a new file is made with. Pages of 8 KiB hold seven commits
// of 1 KiB, where pages of 4 KiB hold three and leave a quarter empty.
const pageSize = 8192

// creation is the first migration: all tables of version 1.
//
// Bodies stand last in their rows and meta next to last, so that reading the
// other columns of a row never follows a chain of overflow pages. A log has an
// integer id, which stands in every row in place of the thread's name and the
// namespace.
const creation = `
CREATE TABLE threads(
	id    INTEGER PRIMARY KEY,        -- a hash of the name, so that there are two ways to a row
	name  TEXT    NOT NULL UNIQUE,
	fence INTEGER NOT NULL,           -- how often the right to write has changed hands
	logs  INTEGER NOT NULL,           -- how many logs the thread has
	sum   INTEGER NOT NULL
);
CREATE TABLE logs(
	id      INTEGER PRIMARY KEY,
	thread  INTEGER NOT NULL,         -- threads.id
	ns      TEXT    NOT NULL,         -- '': the thread's own log
	head    INTEGER NOT NULL,         -- commits.seq of the newest commit
	base    INTEGER NOT NULL,         -- commits.base of the newest commit
	first   INTEGER NOT NULL,         -- commits.seq of the oldest commit
	commits INTEGER NOT NULL,         -- how many there are
	pending INTEGER NOT NULL,         -- how many entries are pending behind the head
	sum     INTEGER NOT NULL,
	UNIQUE(thread, ns)
);
CREATE TABLE commits(
	id     INTEGER PRIMARY KEY,
	log    INTEGER NOT NULL,          -- logs.id
	seq    INTEGER NOT NULL,
	prev   INTEGER NOT NULL,          -- seq of the commit before it in the log, 0 for the oldest
	parent INTEGER NOT NULL,
	base   INTEGER NOT NULL,
	step   INTEGER NOT NULL,
	source TEXT    NOT NULL,
	at     INTEGER NOT NULL,          -- nanoseconds since 1970, UTC
	sum    INTEGER NOT NULL,
	meta   BLOB,
	body   BLOB
);
CREATE UNIQUE INDEX commits_by_seq ON commits(log, seq);
CREATE TABLE pending(
	id   INTEGER PRIMARY KEY,
	log  INTEGER NOT NULL,            -- logs.id
	key  TEXT    NOT NULL,
	sum  INTEGER NOT NULL,
	body BLOB
);
CREATE UNIQUE INDEX pending_by_key ON pending(log, key);
CREATE TABLE items(
	id      INTEGER PRIMARY KEY,
	ns      BLOB    NOT NULL,         -- the parts of the path, a NUL byte behind each
	key     TEXT    NOT NULL,
	ttl     INTEGER NOT NULL,         -- nanoseconds, 0: lives for ever
	created INTEGER NOT NULL,         -- nanoseconds since 1970, UTC
	updated INTEGER NOT NULL,
	expires INTEGER NOT NULL,         -- 0: never
	sum     INTEGER NOT NULL,
	value   BLOB
);
CREATE UNIQUE INDEX items_by_key ON items(ns, key);
CREATE INDEX items_by_expiry ON items(expires) WHERE expires > 0;
CREATE TABLE row_tables(name TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE VIEW history AS
	SELECT t.name AS thread, l.ns, c.seq, c.parent, c.base, c.step, c.source,
		strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1e9, 'unixepoch') AS at,
		c.seq = l.head AS newest, length(c.body) AS bytes, CAST(c.meta AS TEXT) AS meta
	FROM threads t JOIN logs l ON l.thread = t.id JOIN commits c ON c.log = l.id;
`

// reserved reports whether a table of index rows must not have this name: it
// is one of the package's own, or one of SQLite's.
func reserved(name string) bool {
	switch name {
	case "threads", "logs", "commits", "pending", "items", "row_tables", "history",
		"commits_by_seq", "pending_by_key", "items_by_key", "items_by_expiry":
		return true
	}
	return len(name) >= 7 && name[:7] == "sqlite_"
}
