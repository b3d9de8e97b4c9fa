package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/state"
)

// body is what a commit changed, if it is not just a list of operations.
type body struct {
	State  json.RawMessage `json:"state"`
	Diff   json.RawMessage `json:"diff"`
	Ops    json.RawMessage `json:"ops"`
	Writes json.RawMessage `json:"writes"`
}

// wholePrefix begins the body of a commit that holds a whole state, and nothing
// else.
var wholePrefix = []byte(`{"state":`)

func readBody(c *checkpoint.Commit) (b body, err error) {
	if len(c.Body) > 0 && c.Body[0] == '[' {
		return body{Ops: c.Body, Writes: c.Body}, nil
	}
	if rest, ok := bytes.CutPrefix(c.Body, wholePrefix); ok && bytes.HasSuffix(rest, []byte("}")) {
		return body{State: json.RawMessage(rest[:len(rest)-1])}, nil // what reads the state judges it
	}
	dec := json.NewDecoder(bytes.NewReader(c.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return b, corrupt(c, err)
	}
	if (b.State == nil) == (b.Ops == nil) {
		return b, corrupt(c, errors.New("it holds neither a state nor operations, or both"))
	}
	return b, nil
}

func corrupt(c *checkpoint.Commit, err error) error {
	return fmt.Errorf("checkpoint %d: %w: %w", c.Seq, checkpoint.ErrCorrupt, err)
}

// misfit tells of a state that cannot be read as the graph's.
func misfit(c *checkpoint.Commit, err error) error {
	return fmt.Errorf("checkpoint %d: its state does not fit the graph's: %w", c.Seq, err)
}

// Rebuild makes st hold the state of the last of the commits, which begin with
// a whole one. track says that the store is to go on with Diff where the log
// stands. Where another version of the schema wrote them, they are migrated.
func Rebuild(st *state.Store, lay *state.Layout, commits []checkpoint.Commit, version int, track bool) error {
	if version != lay.Version() {
		return migrate(st, lay, commits, version, track)
	}
	if err := replay(st, commits); err != nil {
		return err
	}
	if !track {
		return nil
	}
	st.Track()
	return recall(st, commits)
}

// replay loads the whole state that the commits begin with, and replays the
// operations of the others all at once, which costs less than one by one.
func replay(st *state.Store, commits []checkpoint.Commit) error {
	if err := Replay(st, &commits[0]); err != nil {
		return err
	}
	ops := make([][]byte, len(commits)-1)
	for i := range ops {
		c := &commits[i+1]
		b, err := readBody(c)
		if err != nil {
			return err
		}
		if ops[i] = b.Ops; b.State != nil {
			return corrupt(c, errors.New("it holds a state, though commits before it are said to be needed"))
		}
	}
	if err := st.Replay(ops...); err != nil {
		return misfit(&commits[len(commits)-1], err)
	}
	return nil
}

// Replay goes on from the state of the commit before to that of c.
func Replay(st *state.Store, c *checkpoint.Commit) error {
	b, err := readBody(c)
	if err != nil {
		return err
	}
	if b.State != nil {
		err = st.Load(b.State)
	} else {
		err = st.Replay(b.Ops)
	}
	if err != nil {
		return misfit(c, err)
	}
	return nil
}

func recall(st *state.Store, commits []checkpoint.Commit) error {
	for i := range commits {
		b, err := readBody(&commits[i])
		if err != nil {
			return err
		}
		writes := b.Writes
		if b.State != nil {
			writes = b.Diff
		}
		if writes == nil {
			continue
		}
		if err := st.Recall(writes); err != nil {
			return misfit(&commits[i], err)
		}
	}
	return nil
}

// migrate replays the commits without a schema, and lets the schema's
// migrations make of the fields what they are now.
func migrate(st *state.Store, lay *state.Layout, commits []checkpoint.Commit, version int, track bool) error {
	last := &commits[len(commits)-1]
	raw := &state.RawState{}
	for i := range commits {
		b, err := readBody(&commits[i])
		if err != nil {
			return err
		}
		if b.State != nil {
			raw, err = state.LoadRaw(b.State)
		} else {
			err = raw.Replay(b.Ops)
		}
		if err != nil {
			return corrupt(&commits[i], err)
		}
	}
	if track {
		return fmt.Errorf("checkpoint %d: a subgraph's run of schema version %d cannot go on with version %d", last.Seq, version, lay.Version())
	}
	if err := lay.Migrate(version, raw.Fields()); err != nil {
		return misfit(last, err)
	}
	data, err := json.Marshal(raw.Fields())
	if err != nil {
		return misfit(last, err)
	}
	if err := st.Load(data); err != nil {
		return misfit(last, err)
	}
	return nil
}

// Whole returns a commit like c that holds the whole state of st, and tells m.
func Whole(c *checkpoint.Commit, m *Meta, st *state.Store, lay *state.Layout) (*checkpoint.Commit, error) {
	meta, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	data, err := lay.AppendState(slices.Clone(wholePrefix), st.State())
	if err != nil {
		return nil, err
	}
	w := *c
	w.Base, w.Meta, w.Body, w.Index = c.Seq, meta, append(data, '}'), nil
	return &w, nil
}
