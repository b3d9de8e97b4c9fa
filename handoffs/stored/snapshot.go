package stored

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
)

// snapshot is a message of a conversation under a hash of it and of all before
// it. Conversations that begin alike share their beginning.
type snapshot struct {
	Hash    string  `json:"hash"`
	Parent  string  `json:"parent,omitempty"` // "": it is the first one
	Message Message `json:"message"`
}

// hashBytes is how much of a hash is kept.
const hashBytes = 16

// snapshots makes those of a conversation that are not known yet. Last is the
// hash of the whole conversation; "": it is empty.
func snapshots(known []snapshot, talk []Message, secrets handoffs.Redactor) (last string, more []snapshot, err error) {
	seen := make(map[string]bool, len(known)+len(talk))
	for i := range known {
		seen[known[i].Hash] = true
	}
	for _, m := range talk {
		m.Content = strings.ToValidUTF8(m.Content, "\uFFFD")
		if secrets != nil {
			m.Content = secrets.Redact(m.Content)
		}
		data, err := json.Marshal(snapshot{Parent: last, Message: m})
		if err != nil {
			return "", nil, fmt.Errorf("conversation_history: %w", err)
		}
		sum := sha256.Sum256(data)
		s := snapshot{Hash: hex.EncodeToString(sum[:hashBytes]), Parent: last, Message: m}
		if last = s.Hash; !seen[last] {
			seen[last] = true
			more = append(more, s)
		}
	}
	return last, more, nil
}

// Conversation returns what was said in a session until a handoff, by the
// handoff's Snapshot: without the secrets, in the order in which it was said. A
// snapshot that the session does not have is a handoffs.CodeNotFound.
func (s *System) Conversation(ctx context.Context, sessionID, snapshot string) ([]Message, error) {
	at, err := s.book.Load(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	places := make(map[string]int, len(at.Snapshots))
	for i := range at.Snapshots {
		places[at.Snapshots[i].Hash] = i
	}
	talk := []Message{}
	for hash := snapshot; hash != ""; {
		i, ok := places[hash]
		if !ok {
			return nil, fmt.Errorf("stored: session %q has no snapshot %q: %w", sessionID, snapshot, handoffs.CodeNotFound)
		}
		talk = append(talk, at.Snapshots[i].Message)
		hash = at.Snapshots[i].Parent
	}
	slices.Reverse(talk)
	return talk, nil
}
