package sqlite

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// The columns of a commit, as readCommit wants them, without the body and
// with it.
const (
	commitColumns = `SELECT seq, prev, parent, base, step, source, at, sum, meta`
	bodyColumn    = `, body`
)

const insertCommit = `INSERT INTO commits(log, seq, prev, parent, base, step, source, at, sum, meta, body)
	VALUES(?,?,?,?,?,?,?,?,?,?,?)`

// stored is a commit with what only the store knows of it.
type stored struct {
	checkpoint.Commit
	prev int64
	at   int64
	sum  int64
}

// readCommit reads a row that begins with the columns of a commit, and proves
// it. Without its body the body is not proved.
func (l *link) readCommit(r *row, log checkpoint.Log, body bool) (stored, error) {
	var c stored
	c.Seq, c.prev, c.Parent, c.Base = r.int(), r.int(), r.int(), r.int()
	c.Step, c.Source, c.at, c.sum = int(r.int()), r.text(), r.int(), r.int()
	c.Meta = r.blob()
	sum := bodyPart(c.sum)
	if body {
		c.Body = r.blob()
		sum = bodySum(c.Body)
	}
	if r.bad || l.digest.commit(log, c.prev, c.at, &c.Commit, sum) != c.sum {
		return c, corrupt("thread %q, namespace %q, commit %d", log.Thread, log.NS, c.Seq)
	}
	c.At = time.Unix(0, c.at).UTC()
	return c, nil
}

// writeCommit makes the row of a commit.
func (l *link) writeCommit(ctx context.Context, log *logRow, prev, at int64, c *checkpoint.Commit) error {
	sum := l.digest.commit(log.log(), prev, at, c, bodySum(c.Body))
	_, err := l.exec(ctx, insertCommit, log.id, c.Seq, prev, c.Parent, c.Base, int64(c.Step), c.Source, at, sum, c.Meta, c.Body)
	return err
}
