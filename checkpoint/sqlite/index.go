package sqlite

import (
	"context"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
)

// rowTables remembers which tables of index rows there are, with their
// columns and their indexes. Nobody takes any away; after a rollback it is
// empty and learns again. Only the writer uses it.
type rowTables map[string]map[string]bool

const (
	listRowTables = `SELECT name FROM row_tables ORDER BY name`
	noteRowTable  = `INSERT INTO row_tables(name) VALUES(?)`
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
	if err := b.prepareTable(r); err != nil {
		return err
	}
	var names, marks strings.Builder
	args := []any{l.thread.name, l.ns, seq, r.Key}
	for i := range r.Columns {
		names.WriteString(`, "` + r.Columns[i].Name + `"`)
		marks.WriteString(`,?`)
		args = append(args, r.Columns[i].Value)
	}
	_, err := b.exec(b.ctx, `INSERT OR REPLACE INTO "`+r.Table+`"(thread, ns, seq, key`+names.String()+`) VALUES(?,?,?,?`+marks.String()+`)`, args...)
	return err
}

// prepareTable makes sure that a row's table is there, with its columns and
// indexes.
func (b *batch) prepareTable(r *checkpoint.Row) error {
	if b.tables.suit(r) {
		return nil
	}
	have, err := b.tables.learn(b.ctx, b.link, r.Table)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		if err := b.makeTable(r.Table); err != nil {
			return err
		}
		have["thread"] = true
	}
	for i := range r.Columns {
		name := r.Columns[i].Name
		if have[name] {
			continue
		}
		if err := b.run(`ALTER TABLE "` + r.Table + `" ADD COLUMN "` + name + `"`); err != nil {
			return err
		}
		have[name] = true
	}
	return b.prepareIndexes(r, have)
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

// suit reports whether a row's table is known to have all columns and
// indexes.
func (t rowTables) suit(r *checkpoint.Row) bool {
	have := t[r.Table]
	for i := range r.Columns {
		if !have[r.Columns[i].Name] {
			return false
		}
	}
	for _, columns := range r.Indexes {
		if !have[indexName(r.Table, columns)] {
			return false
		}
	}
	return len(have) > 0
}

// learn returns the columns and indexes of a table as they are now, none if
// there is no such table: another process may have made it meanwhile.
func (t rowTables) learn(ctx context.Context, l *link, table string) (map[string]bool, error) {
	have := map[string]bool{}
	err := l.query(ctx, func(r *row) error {
		have[r.text()] = true
		return nil
	}, partsOfTable, table)
	if err == nil {
		t[table] = have
	}
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
