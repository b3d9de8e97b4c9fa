package state

import (
	"errors"
	"fmt"
)

// AppendDiff appends Diff to dst in the form of AppendChanges: what Recall
// takes to go on with Diff in another process.
func (s *Store) AppendDiff(dst []byte) ([]byte, error) {
	u := s.Diff()
	return s.lay.AppendChanges(dst, &u)
}

// Recall makes the Store remember writes for Diff as if they had been committed
// after Track, without changing the state. It takes the form of AppendChanges:
// what AppendDiff wrote, and then, in their order, what AppendWrites wrote of
// each later step, or AppendOps where it was exact. Diff is then what it would
// have been in one process. All problems are told at once, and then nothing is
// remembered; a Store that does not track is one.
func (s *Store) Recall(writes []byte) error {
	if s.track == nil {
		return errors.New("state: a Store that does not track cannot recall writes")
	}
	u, err := s.lay.DecodeChanges(writes)
	if err != nil {
		return err
	}
	for i := range u.Len() {
		if col := u.At(i).verb.field; col.local {
			return fmt.Errorf("state: write %d: %w", i, onlyBySend(col))
		}
	}
	for i := range u.Len() {
		c := u.At(i)
		s.track.fields[s.lay.find(c.verb)].add(c)
	}
	return nil
}
