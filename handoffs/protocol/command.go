package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Command asks for a handoff: where to go on, and with what. It is data.
type Command struct {
	Goto   Goto   `json:"goto"`
	Update Update `json:"update"`
}

// Goto is an agent, or several that work side by side. In JSON it is a name, or
// a list of sends.
type Goto struct {
	Agent string
	Sends []Send // if there is no Agent; one agent may be there several times
}

// Send is an agent that works beside others.
type Send struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
}

// MarshalJSON writes a name, or a list of sends.
func (g Goto) MarshalJSON() ([]byte, error) {
	if g.Agent == "" && g.Sends != nil {
		return json.Marshal(g.Sends)
	}
	return json.Marshal(g.Agent)
}

// UnmarshalJSON reads a name, or a list of sends.
func (g *Goto) UnmarshalJSON(data []byte) error {
	*g = Goto{}
	if json.Unmarshal(data, &g.Agent) == nil {
		return nil
	}
	if err := json.Unmarshal(data, &g.Sends); err != nil {
		return errors.New("goto is neither a name nor a list of sends")
	}
	return nil
}

// Update is what a handoff carries: the state that agents share.
type Update struct {
	Context       Context            `json:"context"`
	Artifacts     map[string]*string `json:"artifacts,omitempty"` // by name, where they are; nil: not there yet
	WorkflowState WorkflowState      `json:"workflow_state,omitzero"`
	Metrics       Metrics            `json:"metrics,omitzero"`
}

// Context is what the next agent must know.
type Context struct {
	PreviousAgent    string   `json:"previous_agent,omitempty"` // AcceptHandoff fills it in
	TaskDescription  string   `json:"task_description"`         // what the next agent is to do
	Completed        bool     `json:"completed"`                // the phase at work is done
	ArtifactsCreated []string `json:"artifacts_created,omitempty"`
	Reason           string   `json:"reason,omitempty"`        // why the work goes there, or back
	QualityScore     *float64 `json:"quality_score,omitempty"` // of what was checked
}

// WorkflowState is a list of phases, and where it stands.
type WorkflowState struct {
	Phase          string   `json:"phase,omitempty"`
	NextPhase      string   `json:"next_phase,omitempty"`
	CompletedSteps []string `json:"completed_steps,omitempty"`
	RemainingSteps []string `json:"remaining_steps,omitempty"` // behind the phase at work
}

// NewWorkflow begins with the first of several phases.
func NewWorkflow(phases ...string) WorkflowState {
	return WorkflowState{RemainingSteps: phases}.Advance()
}

// Advance returns the state behind the phase at work.
func (w WorkflowState) Advance() WorkflowState {
	next := WorkflowState{CompletedSteps: slices.Clip(w.CompletedSteps), RemainingSteps: w.RemainingSteps}
	if w.Phase != "" {
		next.CompletedSteps = append(next.CompletedSteps, w.Phase)
	}
	if len(next.RemainingSteps) > 0 {
		next.Phase, next.RemainingSteps = next.RemainingSteps[0], next.RemainingSteps[1:]
	}
	if len(next.RemainingSteps) > 0 {
		next.NextPhase = next.RemainingSteps[0]
	}
	return next
}

// Metrics are what the source's turn cost, and how often the work was begun
// anew.
type Metrics struct {
	TokensUsed   int     `json:"tokens_used,omitempty"`
	TimeElapsed  float64 `json:"time_elapsed,omitempty"` // seconds
	RetryCount   int     `json:"retry_count,omitempty"`
	DeepwikiUsed bool    `json:"deepwiki_used,omitempty"`
}

// Path is a place for Update.Artifacts.
func Path(p string) *string { return &p }

// Handoff makes the command of package handoffs. It fails if the update cannot
// be written as JSON.
func (c *Command) Handoff() (handoffs.Command, error) {
	u := &c.Update
	h := handoffs.NewCommand(c.Goto.Agent, handoffs.Delegation, u.Context.Reason)
	h.Kind, h.Task = handoffs.Transfer, u.Context.TaskDescription
	if h.Explanation == "" {
		h.Explanation = h.Task
	}
	h.Usage = handoffs.Usage{Tokens: u.Metrics.TokensUsed, Time: time.Duration(u.Metrics.TimeElapsed * float64(time.Second))}
	var err error
	if h.Payload, err = u.payload(); err != nil {
		return h, fmt.Errorf("protocol: update: %w", err)
	}
	if c.Goto.Agent == "" && c.Goto.Sends != nil {
		h.Kind = handoffs.Spawn
		for _, s := range c.Goto.Sends {
			h.Branches = append(h.Branches, handoffs.Branch{Target: s.Agent, Task: s.Task, Payload: h.Payload})
		}
	}
	return h, nil
}

// payload is the update as it is stored.
func (u *Update) payload() (map[string]any, error) {
	data, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	v, err := state.ParseAny(data)
	m, _ := v.(map[string]any)
	return m, err
}

// unmarshal reads an update.
func unmarshal(data []byte, u *Update) error {
	if err := json.Unmarshal(data, u); err != nil {
		return fmt.Errorf("protocol: update: %w", err)
	}
	return nil
}

// next is the update behind this one: artifacts stay, and a phase that is
// completed goes on to the next one.
func (u *Update) next(c Context) Update {
	n := Update{Context: c, Artifacts: maps.Clone(u.Artifacts), WorkflowState: u.WorkflowState, Metrics: Metrics{RetryCount: u.Metrics.RetryCount}}
	if n.Artifacts == nil {
		n.Artifacts = map[string]*string{}
	}
	if c.Completed {
		n.WorkflowState = n.WorkflowState.Advance()
	}
	return n
}
