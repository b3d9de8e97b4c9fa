package sqlite

import (
	"context"
	"database/sql"
)

// link is one connection to the file with its prepared statements. It is for
// one goroutine at a time.
type link struct {
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt // by their text
	digest digest
}

func newLink(conn *sql.Conn) *link {
	return &link{conn: conn, stmts: map[string]*sql.Stmt{}}
}

// statement returns the prepared statement of a text.
func (l *link) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := l.stmts[text]; s != nil {
		return s, nil
	}
	s, err := l.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	l.stmts[text] = s
	return s, nil
}

func (l *link) run(ctx context.Context, text string, args []any) (sql.Result, error) {
	s, err := l.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// exec carries a statement out and tells how many rows it has changed.
func (l *link) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := l.run(ctx, text, args)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// insert carries a statement out and tells the id of the row it has made.
func (l *link) insert(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := l.run(ctx, text, args)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// query calls each with every row of the answer, one after the other. The row
// is reused; its blobs are not.
func (l *link) query(ctx context.Context, each func(*row) error, text string, args ...any) error {
	s, err := l.statement(ctx, text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	r := newRow(len(columns))
	for rows.Next() {
		if err := rows.Scan(r.refs...); err != nil {
			return err
		}
		r.next, r.bad = 0, false
		if err := each(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// close gives the connection back. Statements go with it.
func (l *link) close() error {
	for _, s := range l.stmts {
		s.Close()
	}
	return l.conn.Close()
}

// row is a row of an answer, read column by column. A value of another type
// than the column's makes it bad: such a row is damaged.
type row struct {
	cells []any
	refs  []any
	next  int
	bad   bool
}

func newRow(n int) *row {
	r := &row{cells: make([]any, n), refs: make([]any, n)}
	for i := range r.cells {
		r.refs[i] = &r.cells[i]
	}
	return r
}

func (r *row) cell() any {
	r.next++
	return r.cells[r.next-1]
}

func (r *row) int() int64 {
	v, ok := r.cell().(int64)
	r.bad = r.bad || !ok
	return v
}

func (r *row) text() string {
	v, ok := r.cell().(string)
	r.bad = r.bad || !ok
	return v
}

// blob reads a blob; an empty one is nil.
func (r *row) blob() []byte {
	c := r.cell()
	v, ok := c.([]byte)
	r.bad = r.bad || !ok && c != nil
	return v
}
