package state

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
)

// digest takes the fingerprint of a state within one process: it finds out
// whether a node changed what it was given.
type digest struct {
	hash maphash.Hash
	err  error
}

func (d *digest) add(v any) {
	b, err := json.Marshal(v)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("fingerprint: %w", err)
	}
	d.hash.Write(b)
	d.hash.WriteByte(0)
}
