package handoffs

import "time"

// QueuePolicy orders the handoffs that wait for a free target.
type QueuePolicy struct {
	// Levels are the places of priorities; nil: urgent 1, high 2, normal 5,
	// low 10. The lowest goes first, of equals the one that waits longest.
	Levels map[Priority]int
	// Ageing lowers a waiting handoff's level by one for each such time, so
	// that none waits for ever; 0 or less: no ageing.
	Ageing time.Duration
	Most   int // that may wait; 0: no bound; more are rejected with CodeLimit
}
