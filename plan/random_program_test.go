package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// program is a random plan with the script of its agents, its planner and its
// user.
type program struct {
	Order      plan.Order
	Steps      []progStep
	Supervisor string
	OnFailure  plan.Failure
	OnOrphan   plan.Failure
	Parallel   int
	Stalls     int
	Replans    int
	More       bool       // the plan's steps stream in
	EveryRound bool       // the planner is asked behind every round
	Proposals  []proposal // of the planner, in their order; nil: there is no planner
	OnSwitch   handoffs.Switch
	Signals    []time.Duration // when a signal comes by itself
	Wild       bool            // more than the reference knows: see wilder
	Room       int             // of agent b: how often it works at once; 0: as often as it likes
	Talker     string          // an agent that is done only when it returns
	Limit      int             // of handoffs; 0: none
	Asks       bool            // a person approves handoffs to c
	Inputs     []string        // of the user behind the first: "go on", "select a", "resume", "signal"
}

// progStep is a step. Its agents do what stands in Attempts; behind the last of
// them they say something and are done.
type progStep struct {
	ID, Agent, Capability string
	Deps                  []string
	Need                  string // a step whose value its input is made of
	Accept                bool   // its value must be 5 or more
	Retry                 int    // 0: none
	Wait                  time.Duration
	Timeout               time.Duration
	OnFailure             plan.Failure
	Attempts              []attempt
}

// attempt is what the agents do that have a step one behind the other.
type attempt struct{ Stays []stay }

// stay is what an agent does in its turns; behind them it says something.
type stay struct{ Turns []progTurn }

// progTurn is what an agent does in a turn.
type progTurn struct {
	Do    string // say, return, partial, fail, die, call, transfer, escalate, refuse, wait
	To    string
	Aside string // of a call: what is done in it: ok, fail, die, wait, call
	Value int
	For   time.Duration // of a wait; 0: for a signal alone
}

// proposal is what the planner says once.
type proposal struct {
	Steps  []progStep
	More   bool
	Answer bool
}

var sayTurn = progTurn{Do: "say"}

// step returns a step of the plan or of a proposal.
func (p *program) step(id string) *progStep {
	for i := range p.Steps {
		if p.Steps[i].ID == id {
			return &p.Steps[i]
		}
	}
	for i := range p.Proposals {
		for j := range p.Proposals[i].Steps {
			if s := &p.Proposals[i].Steps[j]; s.ID == id {
				return s
			}
		}
	}
	return nil
}

// turn is what an agent does for a step, in a turn of a stay of an attempt, all
// from 1.
func (p *program) turn(step string, attempt, stay, turn int) progTurn {
	s := p.step(step)
	if s == nil || attempt < 1 || attempt > len(s.Attempts) {
		return sayTurn
	}
	if stays := s.Attempts[attempt-1].Stays; stay <= len(stays) && turn <= len(stays[stay-1].Turns) {
		return stays[stay-1].Turns[turn-1]
	}
	return sayTurn
}

// plan is the plan that the run is given.
func (p *program) plan() plan.Plan {
	return plan.Plan{ID: "p", Order: p.Order, Steps: stepsOf(p.Steps), More: p.More}
}

func stepsOf(list []progStep) (out []plan.Step) {
	for i := range list {
		out = append(out, list[i].step())
	}
	return out
}

func (s *progStep) step() plan.Step {
	out := plan.Step{ID: s.ID, Agent: s.Agent, Capability: s.Capability, Task: "do " + s.ID, DependsOn: s.Deps, Timeout: plan.Span(s.Timeout)}
	if s.Need != "" {
		out.Input = map[string]any{"n": "${steps." + s.Need + ".value + 1}"}
	}
	if s.Accept {
		out.Accept = &plan.Accept{If: "result.value >= 5"}
	}
	if s.Retry > 0 {
		out.Retry = &plan.Retry{Max: s.Retry, Initial: plan.Span(s.Wait)}
	}
	if s.OnFailure.Do != "" {
		f := s.OnFailure
		out.OnFailure = &f
	}
	return out
}

// policy is that of the program's team.
func (p *program) policy(agents []string) *handoffs.Policy {
	out := &handoffs.Policy{
		Endless: true, Supervisor: p.Supervisor, Entry: agents[0], Virtual: progEpoch, OnSwitch: p.OnSwitch, Ladder: []string{"d", "c"},
		Edges: []handoffs.Edge{{Name: "completes", From: []string{"a"}, To: []string{"d"}, CompletesStep: true}, {Name: "rest"}},
	}
	if p.Limit > 0 {
		out.Endless, out.Limits.Handoffs = false, p.Limit
	}
	if p.Asks {
		out.Edges = append([]handoffs.Edge{{Name: "asks", To: []string{"c"}, Approval: &handoffs.ApprovalPolicy{}}}, out.Edges...)
	}
	for _, at := range p.Signals {
		out.Script = append(out.Script, handoffs.Scheduled{After: at, Signal: handoffs.Signal{Type: "ping"}})
	}
	return out
}

// completes reports whether a transfer ends a step as done.
func completes(from, to string) bool { return from == "a" && to == "d" }

var (
	progEpoch  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	progAgents = []string{"boss", "a", "b", "c", "d", "u"}
	progCaps   = map[string][]string{"a": {"x"}, "b": {"x", "y"}, "c": {"y"}}
)

// can lists the agents that have a capability.
func can(capability string) (out []string) {
	for _, a := range progAgents {
		if slices.Contains(progCaps[a], capability) {
			out = append(out, a)
		}
	}
	return out
}

// String is the program as JSON, without what is not there.
func (p *program) String() string {
	data, err := json.Marshal(p)
	if err != nil {
		return err.Error()
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err.Error()
	}
	data, err = json.Marshal(thin(v))
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(string(data), "`", "'")
}

// thin leaves out what is empty.
func thin(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if v[k] = thin(e); v[k] == nil {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			if v[i] = thin(v[i]); v[i] == nil {
				v[i] = map[string]any{}
			}
		}
		if len(v) == 0 {
			return nil
		}
	case string, float64, bool:
		if s := fmt.Sprint(v); s == "" || s == "0" || s == "false" {
			return nil
		}
	}
	return v
}

// parseProgram reads a program as String writes it.
func parseProgram(text string) *program {
	p := &program{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		panic(err)
	}
	return p
}

// propose is what the planner says of the n-th version, when these steps stay,
// of which those are whole that wait for no others. Steps that there are already
// are left out, and so is what waits for steps that are no more. Behind its proposals it says that it is enough.
func (p *program) propose(n int, kept, whole []string) proposal {
	if n > len(p.Proposals) || p.Proposals[n-1].Answer {
		return proposal{Answer: true}
	}
	q := proposal{More: p.Proposals[n-1].More && p.Order == plan.Graph}
	known := slices.Clone(whole)
	for _, s := range p.Proposals[n-1].Steps {
		if slices.Contains(known, s.ID) || slices.Contains(kept, s.ID) {
			continue
		}
		s.Deps = slices.DeleteFunc(slices.Clone(s.Deps), func(id string) bool { return !slices.Contains(known, id) })
		if p.Order == plan.Linear {
			s.Deps = nil
		}
		if !slices.Contains(s.Deps, s.Need) && p.Order == plan.Graph || !slices.Contains(known, s.Need) {
			s.Need = ""
		}
		known = append(known, s.ID)
		q.Steps = append(q.Steps, s)
	}
	if len(known) == 0 {
		return proposal{Answer: true}
	}
	return q
}
