package model

import (
	"time"

	"github.com/graphrun/graphrun/state"
)

// Chunk is a piece of an answer: a Text, Reasoning, Call, Again or End.
type Chunk interface{ chunk() }

// Text is a piece of what the model says.
type Text struct{ Text string }

// Reasoning is a piece of what the model thinks. One with a Signature ends a
// part of it; By says whose signature it is, as transcript.SignedAnthropic.
type Reasoning struct {
	Text      string
	Signature []byte
	By        string
}

// Call is a tool call, as a whole. Its ID may be empty, or be used again, where
// the provider's are.
type Call struct{ state.ToolCall }

// Again tells that the request is sent anew: what came before is void.
type Again struct {
	Attempt int           // that begins, from 2
	After   time.Duration // that was waited before it
	Err     error         // what the attempt before failed with
}

// End is the last chunk of an answer.
type End struct {
	Stop  Stop
	Usage Usage
	Model string // that answered, as the provider names it; may be empty
	ID    string // of the answer at the provider; may be empty
}

func (Text) chunk()      {}
func (Reasoning) chunk() {}
func (Call) chunk()      {}
func (Again) chunk()     {}
func (End) chunk()       {}

// Stop says why a model stopped.
type Stop string

// The reasons to stop. A provider's others are told as they are.
const (
	StopEnd     Stop = "stop"       // it has said all, or met a text of Request.Stop
	StopCalls   Stop = "tool_calls" // it waits for results
	StopLength  Stop = "length"     // the answer is cut off at its bound
	StopRefused Stop = "refused"    // the model or a filter refuses
)

// Usage is what a call cost, in tokens. What a provider counts apart is counted
// in: Input holds what was read from a cache or written into it, Output what was
// thought.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
}

// Total returns all tokens.
func (u Usage) Total() int { return u.Input + u.Output }

// Plus returns the sum.
func (u Usage) Plus(o Usage) Usage {
	return Usage{u.Input + o.Input, u.Output + o.Output, u.CacheRead + o.CacheRead, u.CacheWrite + o.CacheWrite, u.Reasoning + o.Reasoning}
}
