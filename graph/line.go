package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
)

// LineVersion is the version that every JSON line carries as "v".
const LineVersion = 1

// line is the JSON form of an event. The fields and their names are a
// contract with programs that read them.
type line struct {
	V       int      `json:"v"`
	Type    string   `json:"type"`
	NS      []string `json:"ns"`
	Pos     Pos      `json:"pos"`
	Step    *int     `json:"step,omitempty"`
	Node    string   `json:"node,omitempty"`
	Task    string   `json:"task,omitempty"`
	Data    any      `json:"data,omitempty"`
	Kind    Kind     `json:"kind,omitempty"`
	Message string   `json:"message,omitempty"`
	Status  Outcome  `json:"status,omitempty"`
	Next    any      `json:"next,omitempty"` // a list, at ends also if it is empty
	Attempt int      `json:"attempt,omitempty"`

	ID    string          `json:"id,omitempty"`
	Value json.RawMessage `json:"value,omitempty"` // of a question, null as well
}

// AppendLines appends the JSON lines of an event that the basic log has:
// "values" for every applied step of the graph that was started, "updates"
// for every task that succeeded, "interrupt" for every open question,
// "dropped", "custom" for what nodes emit, or the type that it has of its own
// (see Typed), and "error" and "done" at the run's end. Other events have none.
// Each line ends with a newline.
func AppendLines(dst []byte, e Event) ([]byte, error) {
	switch e := e.(type) {
	case *StepCommitted:
		if len(e.NS) > 0 {
			return dst, nil
		}
		data, err := e.values()
		if err != nil {
			return dst, err
		}
		return appendLine(dst, line{Type: "values", Step: &e.Step, Data: data}, &e.Head)
	case *TaskFinished:
		if e.Leaves {
			return dst, nil
		}
		return appendLine(dst, line{Type: "updates", Step: &e.Step, Node: e.Node, Data: e.Update}, &e.Head)
	case *Asked:
		return appendAsked(dst, e)
	case *Dropped:
		return appendLine(dst, line{Type: "dropped", Step: &e.Step, Data: e.Nodes}, &e.Head)
	case *Custom:
		return appendLine(dst, line{Type: cmp.Or(e.Type, customType), Step: &e.Step, Node: e.Node, Data: e.Value}, &e.Head)
	case *RunFinished:
		if len(e.NS) > 0 {
			return dst, nil
		}
		return appendEnd(dst, e)
	}
	return dst, nil
}

// AppendDebugLines appends what AppendLines does, and lines for the other
// events: "step", "task", "retry", "task_error", and the values and ends of
// subgraphs as "debug_values" and "debug_done".
func AppendDebugLines(dst []byte, e Event) ([]byte, error) {
	h := e.head()
	switch e := e.(type) {
	case *StepStarted:
		return appendLine(dst, line{Type: "step", Step: &h.Step, Data: e.Tasks}, h)
	case *TaskStarted:
		return appendLine(dst, line{Type: "task", Step: &h.Step, Node: e.Node, Task: e.Task}, h)
	case *TaskRetried:
		return appendLine(dst, line{Type: "retry", Step: &h.Step, Node: e.Node, Task: e.Task, Attempt: e.Attempt, Message: e.Err.Error()}, h)
	case *TaskFailed:
		return appendLine(dst, line{Type: "task_error", Step: &h.Step, Node: e.Node, Task: e.Task, Message: e.Err.Error()}, h)
	case *StepCommitted:
		if len(e.NS) > 0 {
			data, err := e.values()
			if err != nil {
				return dst, err
			}
			return appendLine(dst, line{Type: "debug_values", Step: &h.Step, Data: data}, h)
		}
	case *RunFinished:
		if len(e.NS) > 0 {
			return appendLine(dst, line{Type: "debug_done", Status: e.Outcome, Next: e.list()}, h)
		}
	}
	return AppendLines(dst, e)
}

// ownType reports whether lines of the log itself have a type, or may have.
func ownType(name string) bool {
	switch name {
	case "values", "updates", "interrupt", "dropped", customType, "error", "done",
		"step", "task", "retry", "task_error":
		return true
	}
	return strings.HasPrefix(name, "debug_")
}

// MarshalJSON writes a task reference for debug lines.
func (t TaskRef) MarshalJSON() ([]byte, error) {
	type ref struct {
		Node string `json:"node"`
		Task string `json:"task"`
		Sent bool   `json:"sent,omitempty"`
	}
	return json.Marshal(ref(t))
}

func (e *StepCommitted) values() (json.RawMessage, error) {
	return e.layout.AppendState(nil, e.State)
}

func appendAsked(dst []byte, e *Asked) ([]byte, error) {
	q := &e.Question
	value, err := encodeValue(q.Value)
	if err != nil {
		return dst, err
	}
	return appendLine(dst, line{Type: "interrupt", Step: &e.Step, Node: q.Node, ID: q.ID, Value: value}, &e.Head)
}

func appendEnd(dst []byte, e *RunFinished) ([]byte, error) {
	var err error
	if e.Err != nil && e.Outcome != OutcomeInterrupted {
		failed := line{Type: "error", Kind: KindNode, Message: e.Err.Error()}
		head := e.Head
		var placed *Error
		if errors.As(e.Err, &placed) {
			failed.Kind, failed.Node, failed.Step = placed.Kind(), placed.Node, &placed.Step
			head.NS = placed.NS
		}
		if dst, err = appendLine(dst, failed, &head); err != nil {
			return dst, err
		}
	}
	return appendLine(dst, line{Type: "done", Status: e.Outcome, Next: e.list()}, &e.Head)
}

// list returns the nodes that are left, never nil.
func (e *RunFinished) list() []string { return append([]string{}, e.Next...) }

func appendLine(dst []byte, l line, h *Head) ([]byte, error) {
	l.V, l.NS, l.Pos = LineVersion, h.NS, h.Pos
	if l.NS == nil {
		l.NS = []string{}
	}
	b, err := json.Marshal(l)
	if err != nil {
		return dst, fmt.Errorf("graph: event %q of node %q cannot be written as JSON: %w", l.Type, l.Node, err)
	}
	return append(append(dst, b...), '\n'), nil
}

// Values yields the state of the started graph: behind the input, and behind
// every superstep. S is its state type; another one is an error.
func Values[S any](events iter.Seq2[Event, error]) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		var none S
		for e, err := range events {
			c, ok := e.(*StepCommitted)
			switch {
			case err == nil && (!ok || len(c.NS) > 0):
				continue
			case err == nil:
				p, fits := c.State.(*S)
				if !fits {
					yield(none, fmt.Errorf("graph: Values: the graph's state is a %v, not a %v", reflect.TypeOf(c.State).Elem(), reflect.TypeFor[S]()))
					return
				}
				if !yield(*p, nil) {
					return
				}
			case !yield(none, err):
				return
			}
		}
	}
}

// Updates yields what the tasks wrote, in the order in which they finished.
func Updates(events iter.Seq2[Event, error]) iter.Seq2[*TaskFinished, error] {
	return project(events, func(e Event) (*TaskFinished, bool) {
		f, ok := e.(*TaskFinished)
		return f, ok && !f.Leaves
	})
}

// Customs yields what nodes emitted.
func Customs(events iter.Seq2[Event, error]) iter.Seq2[*Custom, error] {
	return project(events, func(e Event) (*Custom, bool) { c, ok := e.(*Custom); return c, ok })
}

// Tasks yields the begin, the retries and the end of every task.
func Tasks(events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return project(events, func(e Event) (Event, bool) {
		switch e.(type) {
		case *TaskStarted, *TaskRetried, *TaskFinished, *TaskFailed:
			return e, true
		}
		return nil, false
	})
}

// Debug yields the JSON line or lines of every event; see AppendDebugLines.
func Debug(events iter.Seq2[Event, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range events {
			var text []byte
			if err == nil {
				text, err = AppendDebugLines(nil, e)
			}
			if (len(text) > 0 || err != nil) && !yield(text, err) {
				return
			}
		}
	}
}

// project passes on what pick takes from the events, and every error.
func project[T any](events iter.Seq2[Event, error], pick func(Event) (T, bool)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for e, err := range events {
			if err != nil {
				var none T
				if !yield(none, err) {
					return
				}
				continue
			}
			if v, ok := pick(e); ok && !yield(v, nil) {
				return
			}
		}
	}
}
