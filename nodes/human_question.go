package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/schemacheck"
)

// Question is what a person is asked. As the value of a graph.Question it is
// {"type":"question","text":…} with the fields below, what is empty left out. It
// asks for a text, for one or several of Choices, or for a Form.
//
// The answer is a text, the value or label of a choice, a list of them, or what
// the form makes. null and a text without a word stand for the Default. An answer
// that does not fit is asked for again, with what is wrong in Problem.
type Question struct {
	Text    string   `json:"text"`
	Choices []Choice `json:"choices,omitempty"`
	Many    bool     `json:"many,omitempty"`  // any number of choices may be taken, at least one
	Other   bool     `json:"other,omitempty"` // a text that is none of the choices is an answer too
	// Form is the JSON Schema of the answer.
	Form json.RawMessage `json:"form,omitempty"`
	// Default is the answer that is taken for an empty one, as JSON; nil: there
	// must be one.
	Default json.RawMessage `json:"default,omitempty"`
	Problem string          `json:"problem,omitempty"` // with the last answer; set when it is asked again
}

// Choice is an answer to choose.
type Choice struct {
	Value       string `json:"value"`
	Label       string `json:"label,omitempty"` // for people; "": the value
	Description string `json:"description,omitempty"`
	// Goto is the node that a Human goes to when it is chosen; "": none, its edges
	// are followed. People are not told.
	Goto string `json:"-"`
}

// Answer is a person's answer, which fits the question.
type Answer struct {
	// Value is the answer as JSON: a text, the value of the choice, a list of
	// them, or what the form made.
	Value   json.RawMessage
	Text    string   // the same for people and models
	Choices []Choice // that were taken
}

// MarshalJSON writes the question as front ends get it.
func (q Question) MarshalJSON() ([]byte, error) {
	type plain Question
	return json.Marshal(struct {
		Type string `json:"type"`
		plain
	}{"question", plain(q)})
}

// check tells what is wrong with a question.
func (q *Question) check() error {
	switch {
	case isBlank(q.Text):
		return errors.New("it has no Text")
	case q.Form != nil && q.Choices != nil:
		return errors.New("it has Choices and a Form; it can have one of them")
	case (q.Many || q.Other) && q.Choices == nil:
		return errors.New("its Many and Other need Choices")
	}
	seen := map[string]bool{}
	for _, c := range q.Choices {
		if isBlank(c.Value) || seen[c.Value] {
			return fmt.Errorf("its choices must have values that are different and not empty; one is %q", c.Value)
		}
		seen[c.Value] = true
	}
	if q.Form != nil {
		if _, err := schemacheck.Compile(q.Form); err != nil {
			return fmt.Errorf("its Form: %w", err)
		}
	}
	if q.Default != nil {
		bare := *q
		bare.Default = nil
		if _, problem := bare.read(q.Default); problem != "" {
			return fmt.Errorf("its Default: %s", problem)
		}
	}
	return nil
}

// ask asks until there is an answer that fits, by keys that begin with key.
func (q Question) ask(ctx context.Context, key string) (Answer, error) {
	for try := 0; ; try++ {
		data, err := graph.Interrupt[json.RawMessage](ctx, fmt.Sprintf("%s:%d", key, try), q)
		if err != nil {
			return Answer{}, err
		}
		a, problem := q.read(data)
		if problem == "" {
			return a, nil
		}
		q.Problem = problem
	}
}
