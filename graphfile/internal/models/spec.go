package models

import (
	"encoding/json"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/nodes/model"
)

// Use says which model a file means.
type Use struct {
	// Provider and Name are those of "use": the text in front of the first ":"
	// and the text behind it.
	Provider, Name string
	// BaseURL is the server that the file names; "": the provider's.
	BaseURL string
	// KeyEnv is the environment variable with the key that the file names; "":
	// the provider's.
	KeyEnv string
	// Extra are fields of requests that only this provider knows.
	Extra map[string]json.RawMessage
	// Place is where the file speaks of it: file:line:col.
	Place string
}

// Text is "provider:name".
func (u *Use) Text() string { return u.Provider + ":" + u.Name }

// Spec is a model, and how it is asked. It must not be changed.
type Spec struct {
	Use
	File *source.File
	Pos  source.Pos // of it in the file
	// Ask has what all requests have: MaxTokens, Temperature, TopP, Seed, Stop.
	Ask model.Request

	total, idle time.Duration
	retry       *graph.RetryPolicy
	limit       model.LimiterConfig
	used        bool
}

// Guarded puts around a model what the file says of it: attempts outside of
// rates, and rates outside of times, so that waiting counts for no time.
func (s *Spec) Guarded(m model.Model) model.Model {
	m = model.Deadline{Model: m, First: s.idle, Idle: s.idle, Total: s.total}
	if s.limit != (model.LimiterConfig{}) {
		m = model.Limit{Model: m, Limiter: model.NewLimiter(s.limit)}
	}
	r := model.Retry{Model: m}
	if p := s.retry; p != nil {
		r.Attempts, r.Initial, r.Max, r.Backoff, r.NoJitter = p.MaxAttempts, p.InitialInterval, p.MaxInterval, p.Backoff, p.NoJitter
	}
	return r
}
