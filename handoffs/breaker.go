package handoffs

import "time"

// BreakerPolicy stops handoffs to what fails again and again. Only work that
// failed counts: neither handoffs that were rejected, by the policy, a person or
// the target, nor those that were cancelled. The zero BreakerPolicy counts
// everything together and opens at the third failure in a row.
type BreakerPolicy struct {
	Key       BreakerKey    // what is counted together
	Threshold int           // failures in a row that open it; 0 or less: 3
	Reset     time.Duration // how long it stays open before a probe; 0 or less: 30 s
	Factor    float64       // by which that time grows when a probe fails; 0: 2; below 1: 1
	Most      time.Duration // to which it grows; 0 or less: 10 min; never below Reset
	Probes    int           // handoffs at once while it is half open; 0 or less: 1
	Successes int           // of probes in a row that close it; 0 or less: 1
}

// BreakerKey says what failures are counted together.
type BreakerKey string

// The keys of breakers.
const (
	BreakAll        BreakerKey = "" // everything
	BreakTarget     BreakerKey = "target"
	BreakEdge       BreakerKey = "edge"       // source and target
	BreakCapability BreakerKey = "capability" // that was asked for; handoffs that name none are counted by target
)

// BreakerState is the state of a breaker.
type BreakerState string

// The states of breakers.
const (
	BreakerClosed   BreakerState = "closed"
	BreakerOpen     BreakerState = "open"
	BreakerHalfOpen BreakerState = "half_open"
)

// Breaker is the durable part of a breaker. The zero Breaker is closed and
// has no failures.
type Breaker struct {
	State    BreakerState  `json:"state,omitempty"`    // "": closed
	Failures int           `json:"failures,omitempty"` // in a row
	Last     time.Time     `json:"last,omitzero"`      // the last failure
	Until    time.Time     `json:"until,omitzero"`     // when an open one lets a probe through; of a half open one when its probes count as lost
	Delay    time.Duration `json:"delay,omitempty"`    // that was last waited
	Probing  int           `json:"probing,omitempty"`  // probes at work
	Passed   int           `json:"passed,omitempty"`   // successes in a row while half open
}
