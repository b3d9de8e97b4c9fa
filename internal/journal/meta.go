package journal

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
)

// Meta is what a commit tells beside the state.
type Meta struct {
	Due     kernel.Frontier `json:"due"`
	Graph   string          `json:"graph,omitempty"`   // the fingerprint of the graph that wrote it; empty: that of an earlier commit
	Version int             `json:"version,omitempty"` // of the schema, beside Graph
	Asked   int64           `json:"asked,omitempty"`   // the checkpoint before, if its tasks asked questions
	Shape   json.RawMessage `json:"shape,omitempty"`   // the graph's description; empty: that of an earlier commit of the thread's own log
}

// ReadMeta decodes what a commit tells beside the state.
func ReadMeta(c *checkpoint.Commit) (*Meta, error) {
	dec := json.NewDecoder(bytes.NewReader(c.Meta))
	dec.DisallowUnknownFields()
	m := &Meta{}
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("checkpoint %d: %w: what is due: %w", c.Seq, checkpoint.ErrCorrupt, err)
	}
	return m, nil
}
