package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// summary is what is known of a run when it has ended.
type summary struct {
	thread string
	status graph.Outcome
	state  any // that of the last committed step; nil: the input was not applied
	step   int
	made   int // supersteps, the input is none
	next   []string
	asks   []graph.Question // open ones
	idle   bool             // nothing was left to do
	err    error
}

// newSummary begins a summary with where the thread stands.
func newSummary(thread string, o *order) *summary {
	s := &summary{thread: thread, made: o.made}
	if o.fresh {
		s.made = -1
	}
	if o.from != nil {
		s.state, s.step, s.idle = &o.from.Values, o.from.Step, len(o.from.Next) == 0
	}
	return s
}

func (s *summary) event(e graph.Event) error {
	if asked, ok := e.(*graph.Asked); ok {
		s.ask(asked.Question)
	}
	if len(graph.HeadOf(e).NS) > 0 {
		return nil
	}
	switch e := e.(type) {
	case *graph.StepCommitted:
		s.state, s.step, s.idle = e.State, e.Step, false
		s.made++
	case *graph.RunFinished:
		s.status, s.next, s.err = e.Outcome, e.Next, e.Err
	}
	return nil
}

// ask notes an open question; one that is asked again counts once.
func (s *summary) ask(q graph.Question) {
	i := slices.IndexFunc(s.asks, func(o graph.Question) bool { return o.ID == q.ID })
	if i < 0 {
		s.asks = append(s.asks, q)
		slices.SortFunc(s.asks, func(a, b graph.Question) int { return cmp.Or(len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID)) })
		return
	}
	s.asks[i] = q
}

// fail notes an error that came behind the run's end, if it is the first.
func (s *summary) fail(err error) {
	if s.err == nil {
		s.status, s.err = graph.OutcomeFailed, err
	}
}

// values is the state as JSON, {} if there is none.
func (s *summary) values() (json.RawMessage, error) {
	if s.state == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(s.state)
}

// fault is the error of a run in the JSON output.
type fault struct {
	Kind    graph.Kind `json:"kind"`
	NS      []string   `json:"ns"`
	Node    string     `json:"node,omitempty"`
	Message string     `json:"message"`
}

// fault describes the run's error, nil if there is none. That a run is paused
// is none.
func (s *summary) fault() *fault {
	if s.err == nil || s.status == graph.OutcomeInterrupted {
		return nil
	}
	out := &fault{Kind: graph.KindNode, NS: []string{}, Message: s.err.Error()}
	var placed *graph.Error
	if errors.As(s.err, &placed) {
		out.Kind, out.Node = placed.Kind(), placed.Node
		out.NS = append(out.NS, placed.NS...)
	}
	return out
}

// question is an open question in the JSON output, as the state has it.
type question struct {
	ID    string          `json:"id"`
	Node  string          `json:"node"`
	NS    []string        `json:"ns,omitempty"`
	Value json.RawMessage `json:"value"`
}

func questionsOf(asks []graph.Question) ([]question, error) {
	var out []question
	for _, q := range asks {
		value, err := state.AppendAny(nil, q.Value)
		if err != nil {
			return nil, fmt.Errorf("the question %s cannot be written as JSON: %w", q.ID, err)
		}
		out = append(out, question{q.ID, q.Node, q.NS, value})
	}
	return out, nil
}

// json is the whole result as one object on a line.
func (s *summary) json() ([]byte, error) {
	values, err := s.values()
	if err != nil {
		return nil, err
	}
	asks, err := questionsOf(s.asks)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(struct {
		Thread     string          `json:"thread"`
		Status     graph.Outcome   `json:"status"`
		Values     json.RawMessage `json:"values"`
		Step       int             `json:"step"`
		Next       []string        `json:"next,omitempty"`
		Interrupts []question      `json:"interrupts,omitempty"`
		Error      *fault          `json:"error,omitempty"`
	}{s.thread, s.status, values, s.step, s.next, asks, s.fault()})
	return append(text, '\n'), err
}

// results writes what the run ended with to standard output.
func (r *runner) results(s *summary) error {
	if r.output.value == "json" {
		text, err := s.json()
		if err != nil {
			return err
		}
		_, err = r.Stdout.Write(text)
		return err
	}
	if s.state == nil {
		return nil
	}
	values, err := s.values()
	if err != nil {
		return err
	}
	text, err := renderValues(shown(values, r.hidden), r.inkFor(r.Terminal.Stdout))
	if err != nil {
		return err
	}
	_, err = r.Stdout.Write(text)
	return err
}

// tally names nodes, each once with how often it is there.
func tally(nodes []string) string {
	counts := map[string]int{}
	var names []string
	for _, n := range nodes {
		if counts[n]++; counts[n] == 1 {
			names = append(names, n)
		}
	}
	for i, n := range names {
		if counts[n] > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", n, counts[n])
		}
	}
	return strings.Join(names, ", ")
}
