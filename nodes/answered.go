package nodes

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// ErrAnswer: the model's answer is of no use, also after it was told why.
var ErrAnswer = errors.New("nodes: the model's answer is of no use")

// answered looks at an answer without calls, which ends the turn if it is one.
func (t *turn) answered(m state.Message) (bool, error) {
	text := m.Text()
	switch {
	case isBlank(text):
		return false, t.again(m, "it is empty", "Your answer was empty. Answer, or call a tool.")
	case t.output != nil:
		value, problems := t.output.read(text)
		if problems != "" {
			return false, t.again(m, problems, "Your answer cannot be used:\n"+problems+"\nAnswer with JSON that fits the schema, and nothing else.")
		}
		t.value = value
	case t.announced(m, text):
		return false, nil
	}
	t.made = append(t.made, m)
	t.giveBack(text)
	return true, nil
}

// again lets the model answer once more, with what was wrong.
func (t *turn) again(m state.Message, problem, hint string) error {
	if t.wrong >= t.handoffs.tries() {
		return fmt.Errorf("%w: agent %q: %s", ErrAnswer, t.agent(), problem)
	}
	t.wrong++
	t.nudge(m, hint)
	return nil
}

// giveBack returns a value to the agent that waits for it. What an agent says
// goes back by itself.
func (t *turn) giveBack(text string) {
	if t.seat == nil || !t.seat.Turn.Called || t.value == nil {
		return
	}
	value, err := state.ParseAny(t.value)
	if err != nil {
		return // it is told as a text
	}
	c := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Return, Result: &handoffs.Outcome{Status: handoffs.Completed, Text: text, Value: value}}
	t.commands = append(t.commands, asked{command: c})
}
