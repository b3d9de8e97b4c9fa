package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
)

// rowTables remembers which tables of index rows there are. Nobody takes any
// away; after a rollback it knows none and learns again. Only the writer uses it.
type rowTables struct {
	known  map[string]*rowTable
	schema int64 // that of the file when they were learned
	stale  bool  // other processes may have added columns since, and rows with them
}

// rowTable is what is known of a table.
type rowTable struct {
	have    map[string]bool // its columns and indexes
	columns []string        // of the row that was written last
	indexes [][]string
	write   string // the statement for such rows
}

const (
	listRowTables = `SELECT name FROM row_tables ORDER BY name`
	noteRowTable  = `INSERT INTO row_tables(name) VALUES(?)`
	rowSchema     = `PRAGMA schema_version`
	partsOfTable  = `SELECT name FROM pragma_table_info(?1) UNION ALL SELECT name FROM pragma_index_list(?1)`
)

// checkTables refuses rows for tables that are not for rows.
func checkTables(parts []checkpoint.Part) error {
	for i := range parts {
		for j := range parts[i].Commits {
			if err := checkRows(&parts[i].Commits[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRows(c *checkpoint.Commit) error {
	for i := range c.Index {
		if name := c.Index[i].Table; reserved(name) {
			return refuse(checkpoint.ErrInvalid, "commit %d: table %q is the store's own: choose another name for rows", c.Seq, name)
		}
	}
	return nil
}

// writeRow puts a row into its table, in place of the one of the same thread
// and key.
func (b *batch) writeRow(l *logRow, seq int64, r *checkpoint.Row) error {
	t, err := b.rowTable(r)
	if err != nil {
		return err
	}
	args := append(make([]any, 0, 4+len(r.Columns)), l.thread.name, l.ns, seq, r.Key)
	for i := range r.Columns {
		args = append(args, l.value(r.Columns[i].Value))
	}
	_, err = b.exec(b.ctx, t.write, args...)
	return err
}

// value returns what stands in a table for a column's value.
func (l *logRow) value(v any) any {
	if _, ok := v.(checkpoint.ThreadName); ok {
		return l.thread.name
	}
	return v
}

// rowTable returns a row's table, which has the row's columns and indexes then.
func (b *batch) rowTable(r *checkpoint.Row) (*rowTable, error) {
	if err := b.tables.refresh(b.ctx, b.link); err != nil {
		return nil, err
	}
	t := b.tables.known[r.Table]
	if t != nil && t.wrote(r) {
		return t, nil
	}
	if t == nil || !t.suits(r) {
		have, err := b.prepareTable(r)
		if err != nil {
			return nil, err
		}
		t = &rowTable{have: have}
		b.tables.known[r.Table] = t
	}
	t.columns, t.indexes = nil, slices.Clone(r.Indexes)
	for i := range r.Columns {
		t.columns = append(t.columns, r.Columns[i].Name)
	}
	t.write = t.statement(r.Table)
	return t, nil
}

// refresh forgets the tables if the file's schema is another one. That matters
// when a thread was claimed: until then others may have written its rows.
func (t *rowTables) refresh(ctx context.Context, l *link) error {
	if !t.stale {
		return nil
	}
	return l.query(ctx, func(r *row) error {
		if now := r.int(); now != t.schema {
			t.forget()
			t.schema = now
		}
		t.stale = false
		return nil
	}, rowSchema)
}

func (t *rowTables) forget() { clear(t.known) }

// wrote reports whether a row is like the last one of its table.
func (t *rowTable) wrote(r *checkpoint.Row) bool {
	same := func(name string, c checkpoint.Column) bool { return name == c.Name }
	return slices.EqualFunc(t.columns, r.Columns, same) && slices.EqualFunc(t.indexes, r.Indexes, slices.Equal)
}

// suits reports whether the table has all columns and indexes of a row.
func (t *rowTable) suits(r *checkpoint.Row) bool {
	for i := range r.Columns {
		if !t.have[r.Columns[i].Name] {
			return false
		}
	}
	for _, columns := range r.Indexes {
		if !t.have[indexName(r.Table, columns)] {
			return false
		}
	}
	return true
}

// statement returns what writes a row. One that is there is written over, for
// that costs less than another one in its place: most of its entries in indexes
// stay.
func (t *rowTable) statement(table string) string {
	var names, marks, news strings.Builder
	for _, name := range t.columns {
		names.WriteString(`, "` + name + `"`)
		marks.WriteString(`,?`)
		news.WriteString(`, "` + name + `" = excluded."` + name + `"`)
	}
	for _, name := range t.others() {
		news.WriteString(`, "` + name + `" = NULL`)
	}
	return `INSERT INTO "` + table + `"(thread, ns, seq, key` + names.String() + `) VALUES(?,?,?,?` + marks.String() +
		`) ON CONFLICT(thread, key) DO UPDATE SET ns = excluded.ns, seq = excluded.seq` + news.String()
}

// others returns the columns that the last row does not have.
func (t *rowTable) others() (names []string) {
	for name := range t.have {
		switch {
		case name == "thread" || name == "ns" || name == "seq" || name == "key":
		case strings.Contains(name, " ") || strings.HasPrefix(name, "sqlite_"): // an index
		case !slices.Contains(t.columns, name):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// prepareTable makes sure that a row's table is there, with its columns and
// indexes, and returns what it has.
func (b *batch) prepareTable(r *checkpoint.Row) (map[string]bool, error) {
	have, err := learnTable(b.ctx, b.link, r.Table)
	if err != nil {
		return nil, err
	}
	if len(have) == 0 {
		if err := b.makeTable(r.Table); err != nil {
			return nil, err
		}
		have["thread"] = true
	}
	for i := range r.Columns {
		name := r.Columns[i].Name
		if have[name] {
			continue
		}
		if err := b.run(`ALTER TABLE "` + r.Table + `" ADD COLUMN "` + name + `"`); err != nil {
			return nil, err
		}
		have[name] = true
	}
	return have, b.prepareIndexes(r, have)
}

// prepareIndexes makes the indexes that a table does not have yet.
func (b *batch) prepareIndexes(r *checkpoint.Row, have map[string]bool) error {
	for _, columns := range r.Indexes {
		name := indexName(r.Table, columns)
		if have[name] {
			continue
		}
		if err := b.run(`CREATE INDEX "` + name + `" ON "` + r.Table + `"("` + strings.Join(columns, `", "`) + `")`); err != nil {
			return err
		}
		have[name] = true
	}
	return nil
}

// indexName names an index of a table. It has spaces, which no table and no
// column has.
func indexName(table string, columns []string) string {
	return table + " by " + strings.Join(columns, ", ")
}

func (b *batch) makeTable(name string) error {
	if err := b.run(`CREATE TABLE "` + name + `"(thread TEXT NOT NULL, ns TEXT NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY(thread, key))`); err != nil {
		return err
	}
	_, err := b.exec(b.ctx, noteRowTable, name)
	return err
}

// run carries out a statement that will not come again.
func (b *batch) run(text string) error {
	_, err := b.conn.ExecContext(b.ctx, text)
	return err
}

// learnTable returns the columns and indexes of a table as they are now, none if
// there is no such table: another process may have made it meanwhile.
func learnTable(ctx context.Context, l *link, table string) (map[string]bool, error) {
	have := map[string]bool{}
	err := l.query(ctx, func(r *row) error {
		have[r.text()] = true
		return nil
	}, partsOfTable, table)
	return have, err
}

// dropRows removes the rows of a thread from all tables.
func (b *batch) dropRows(thread string) error {
	var tables []string
	err := b.query(b.ctx, func(r *row) error {
		tables = append(tables, r.text())
		return nil
	}, listRowTables)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if _, err := b.exec(b.ctx, `DELETE FROM "`+name+`" WHERE thread = ?`, thread); err != nil {
			return err
		}
	}
	return nil
}
