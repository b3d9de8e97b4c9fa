package cli

import (
	"encoding/json"
	"errors"

	"github.com/graphrun/graphrun/graph"
)

// summary is what is known of a run when it has ended.
type summary struct {
	thread string
	status graph.Outcome
	state  any // that of the last committed step; nil: the input was not applied
	step   int
	next   []string
	err    error
}

func (s *summary) event(e graph.Event) error {
	if len(graph.HeadOf(e).NS) > 0 {
		return nil
	}
	switch e := e.(type) {
	case *graph.StepCommitted:
		s.state, s.step = e.State, e.Step
	case *graph.RunFinished:
		s.status, s.next, s.err = e.Outcome, e.Next, e.Err
	}
	return nil
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

// fault describes the run's error, nil if there is none.
func (s *summary) fault() *fault {
	if s.err == nil {
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

// json is the whole result as one object on a line.
func (s *summary) json() ([]byte, error) {
	values, err := s.values()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(struct {
		Thread string          `json:"thread"`
		Status graph.Outcome   `json:"status"`
		Values json.RawMessage `json:"values"`
		Step   int             `json:"step"`
		Next   []string        `json:"next,omitempty"`
		Error  *fault          `json:"error,omitempty"`
	}{s.thread, s.status, values, s.step, s.next, s.fault()})
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
	text, err := renderValues(values, r.inkFor(r.Terminal.Stdout))
	if err != nil {
		return err
	}
	_, err = r.Stdout.Write(text)
	return err
}
