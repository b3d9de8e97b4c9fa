package protocol

import (
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// CircuitBreaker is how the breaker of a session stands.
type CircuitBreaker struct {
	State        string    `json:"state"` // closed, open or half-open
	FailureCount int       `json:"failure_count"`
	LastFailure  time.Time `json:"last_failure,omitzero"`
	Threshold    int       `json:"threshold"`
}

// CircuitBreakerOf returns how a session's breaker stands. A policy without one
// has one that is closed.
func CircuitBreakerOf(p *handoffs.Policy, d *handoffs.Desk) CircuitBreaker {
	out := CircuitBreaker{State: string(handoffs.BreakerClosed)}
	if p.Breaker != nil {
		out.Threshold = p.Breaker.Threshold
	}
	b := d.Breakers["all"]
	out.FailureCount, out.LastFailure = b.Failures, b.Last
	if b.State != "" {
		out.State = strings.ReplaceAll(string(b.State), "_", "-")
	}
	return out
}

// LogEntry is a line of the handoff log.
type LogEntry struct {
	From        string    `json:"from"`
	To          string    `json:"to"`
	ContextHash string    `json:"context_hash"`
	Timestamp   time.Time `json:"timestamp"`
}

// HandoffLog returns the handoffs of a session that were accepted, oldest first.
func HandoffLog(log handoffs.Log) (out []LogEntry) {
	for h := range handoffs.History(log, handoffs.Filter{Accepted: true}) {
		out = append(out, LogEntry{From: h.From, To: h.To, ContextHash: h.Hash, Timestamp: h.At})
	}
	return out
}

// WorkflowMetrics are figures about a workflow's handoffs.
type WorkflowMetrics struct {
	HandoffsPerWorkflow  int            `json:"handoffs_per_workflow"` // that were accepted
	TokensPerAgent       map[string]int `json:"tokens_per_agent,omitempty"`
	MeanHandoffLatency   float64        `json:"mean_handoff_latency"` // seconds from the request until the target began
	CircuitBreakerStatus string         `json:"circuit_breaker_status"`
	DeadlockCount        int            `json:"deadlock_count"`
}

// MetricsOf returns the figures of a session.
func MetricsOf(p *handoffs.Policy, d *handoffs.Desk, log handoffs.Log) WorkflowMetrics {
	s := handoffs.Statistics(log, d)
	m := WorkflowMetrics{
		HandoffsPerWorkflow: s.Accepted, MeanHandoffLatency: s.Latency.Mean.Seconds(), DeadlockCount: s.Deadlocks,
		CircuitBreakerStatus: CircuitBreakerOf(p, d).State, TokensPerAgent: map[string]int{},
	}
	for agent, a := range s.Agents {
		if a.Tokens > 0 {
			m.TokensPerAgent[agent] = a.Tokens
		}
	}
	return m
}
