package journal

import (
	"bytes"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
)

// Stand is where a log stands: what its newest commit says.
type Stand struct {
	Last  *checkpoint.Commit
	Meta  *Meta
	Tasks *Step
	Told  string // the fingerprint of the graph that wrote the newest commit

	Version int // of the schema that wrote the log's whole state
}

// ReadStand reads what a loaded log says of its wanted commit.
func ReadStand(l *checkpoint.Loaded) (*Stand, error) {
	s := &Stand{Last: &l.Commits[len(l.Commits)-1]}
	for i := range l.Commits {
		c := &l.Commits[i]
		if i > 0 && c != s.Last && !bytes.Contains(c.Meta, []byte(`"graph":"`)) {
			continue
		}
		m, err := ReadMeta(c)
		if err != nil {
			return nil, err
		}
		if m.Graph != "" {
			s.Told = m.Graph
		}
		if s.Meta = m; i == 0 {
			s.Version = m.Version
		}
	}
	var err error
	s.Tasks, err = ReadPending(l.Pending)
	return s, err
}

// Under returns a log as it will be when a part is written behind it.
func Under(l *checkpoint.Loaded, p checkpoint.Part) *checkpoint.Loaded {
	next := *l
	if n := len(p.Commits); n > 0 { // the last one holds a whole state
		next.Head, next.Commits, next.Pending = p.Commits[n-1].Seq, p.Commits[n-1:], nil
	}
	next.Pending = append(slices.Clone(next.Pending), p.Pending...)
	return &next
}

// Adopt makes the journal owe what is held for it: its run goes on with what
// an attempt before has done.
func (j *Journal) Adopt(p checkpoint.Part) {
	j.saved = p.Head
	j.memo.owed = slices.Clone(p.Pending)
	if n := len(p.Commits); n > 0 {
		last := &p.Commits[n-1]
		j.owed, j.last, j.rows = true, row{last.Step, last.Source}, last.Index
	}
}

// Resume returns the journal of a log that goes on behind its newest commit.
func Resume(q *Queue, g Graph, ns string, child bool, l *checkpoint.Loaded, s *Stand) *Journal {
	j := New(q, g, ns, child)
	j.head, j.saved, j.base, j.told = l.Head, l.Head, s.Last.Base, s.Told
	j.size = len(l.Commits[0].Body)
	j.room = j.size + floor
	for i := range l.Commits[1:] {
		j.since += rowWeight + len(l.Commits[i+1].Meta) + len(l.Commits[i+1].Body)
	}
	if s.Version != g.Layout.Version() {
		j.base = 0 // what follows must not rest on another version's operations
	}
	j.memo.make()
	p := s.Tasks
	j.memo.answers, j.memo.once, j.memo.tally = p.answers, p.once, p.tally
	return j
}
