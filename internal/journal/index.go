package journal

import (
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
)

// index gives a commit the rows of the step that the machine has committed.
// Until the next step begins the store's next state is the one before it.
func (j *Journal) index(c *checkpoint.Commit, m *kernel.Machine) (err error) {
	if j.Index != nil {
		c.Index, err = j.Index(m.Store().Next(), m.Store().State())
	}
	return err
}

// remember keeps the state that a run in Exit mode began with, when its first
// step is committed.
func (j *Journal) remember(m *kernel.Machine) {
	if j.Index != nil && j.start == nil {
		j.start = j.Layout.Fresh()
		j.Layout.Copy(j.start, m.Store().Next())
	}
}

// indexRun gives the one commit of a run in Exit mode its rows, behind those of
// an attempt before that it goes on with.
func (j *Journal) indexRun(c *checkpoint.Commit, m *kernel.Machine) error {
	c.Index = slices.Clip(j.rows)
	if j.start == nil {
		return nil
	}
	rows, err := j.Index(j.start, m.Store().State())
	c.Index = append(c.Index, rows...)
	return err
}

// weight returns what rows come to in bytes.
func weight(rows []checkpoint.Row) (n int) {
	for i := range rows {
		n += len(rows[i].Table) + len(rows[i].Key)
		for _, c := range rows[i].Columns {
			switch v := c.Value.(type) {
			case string:
				n += len(v)
			case []byte:
				n += len(v)
			}
			n += len(c.Name)
		}
	}
	return n
}
