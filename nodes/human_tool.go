package nodes

import (
	"context"
	"errors"
)

// askArgs are the arguments of ask_person.
type askArgs struct {
	Question string   `json:"question" jsonschema:"what to ask, with all that the person must know to answer it"`
	Choices  []string `json:"choices,omitempty" jsonschema:"answers to choose from; leave it out to ask for a text"`
	Many     bool     `json:"many,omitempty" jsonschema:"whether several choices may be taken"`
}

// AskPerson makes the tool ask_person, by which a model asks the user. The run
// pauses with a Question, and the answer is the tool's result: the same agent
// goes on, and nothing is handed over. Answers that are none of the choices are
// taken too, for people may have reasons.
func AskPerson() (Tool, error) {
	t, err := NewTool("ask_person", "Asks the user a question, and waits for the answer. Use it when you cannot go on without something that only the user knows or may decide.", askPerson)
	t.Timeout = -1
	return t, err
}

func askPerson(ctx context.Context, in askArgs) (string, error) {
	call, ok := CallOf(ctx)
	if !ok {
		return "", errors.New("nodes: ask_person is a tool of agents")
	}
	q := Question{Text: in.Question}
	for _, c := range in.Choices {
		if _, taken := q.choice(c); !taken && !isBlank(c) {
			q.Choices = append(q.Choices, Choice{Value: c})
		}
	}
	q.Other, q.Many = q.Choices != nil, q.Choices != nil && in.Many
	if err := q.check(); err != nil {
		return "", err
	}
	a, err := q.ask(ctx, call.key+"/ask")
	return a.Text, err
}
