package nodes

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Announced says what becomes of an answer that announces a handoff in words:
// "I will hand you over to billing."
type Announced string

// What can be done.
const (
	AskOnce   Announced = ""       // the model is told once to call the tool; what it says then is its answer
	AutoRoute Announced = "route"  // the same, and if it still calls none, the handoff is made for it
	TakeAsIs  Announced = "answer" // it is an answer like any other
)

// handingWords are how a handoff is announced. What was done before, or what the
// user may do, is not.
var handingWords = regexp.MustCompile(`(?i)\b(?:i['’]?(?:ll| will| am|['’]m)|let me|going to|i need to|i should|now)\b[^.!?\n]{0,60}\b(?:hand(?:ing)?|transfer(?:ring)?|pass(?:ing)?|forward(?:ing)?|delegat(?:e|ing)|escalat(?:e|ing)|rout(?:e|ing)|connect(?:ing)?|redirect(?:ing)?|refer(?:ring)?)\b[^.!?\n]{0,120}`)

// announced looks for a handoff in words, and reports whether the model is asked
// again, or has its handoff made.
func (t *turn) announced(m state.Message, text string) bool {
	if t.handoffs.Announced == TakeAsIs || !t.ways.open || len(t.commands) > 0 {
		return false
	}
	target, sentence := t.announcedTarget(text)
	switch {
	case target == "":
		return false
	case t.wrong == 0 && t.handoffs.tries() > 0:
		t.wrong++
		t.made = append(t.made, m)
		t.nudges = append(t.nudges, state.Text(state.RoleHuman, fmt.Sprintf("You said that you hand over to %s, but no tool was called, so nothing has happened. Call the tool now if you mean it; else answer without handing over.", target)))
		return true
	case t.handoffs.Announced == AutoRoute:
		c := handoffs.NewCommand(target, handoffs.Delegation, sentence)
		c.Task = sentence
		t.commands = append(t.commands, asked{command: c})
	}
	return false
}

// announcedTarget finds an agent that an announcement names; "": none, or more
// than one.
func (t *turn) announcedTarget(text string) (target, sentence string) {
	for _, said := range handingWords.FindAllString(text, -1) {
		for _, id := range t.ways.spec.Targets {
			if !t.named(said, id) {
				continue
			}
			if target != "" && target != id {
				return "", ""
			}
			target, sentence = id, strings.TrimSpace(said)
		}
	}
	return target, sentence
}

// named reports whether a text names an agent.
func (t *turn) named(text, id string) bool {
	names := []string{id}
	if p, ok := t.seat.Policy.Registry.Get(id); ok && p.Name != "" {
		names = append(names, p.Name)
	}
	for _, name := range names {
		if containsWord(plainWords(text), plainWords(name)) {
			return true
		}
	}
	return false
}

func containsWord(text, word string) bool {
	return word != "" && strings.Contains(" "+text+" ", " "+word+" ")
}

// plainWords are the words of a text in small letters, with a space between them.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 127)
	}), " ")
}
