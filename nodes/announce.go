package nodes

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

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

// handingWords are how a sentence says that a handoff comes now: "I will … to", or
// "…ing to" at its beginning. What was done before, and what the user may do or is
// to do, is none.
var handingWords = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:(?:i|we)(?:['’](?:ll|m|re)| will| am| are| need to| should| must| have to)|let me|let['’]s|let us)` +
		`(?: (?:now|just|then|also|therefore|so|directly|gladly|happily|immediately|quickly|first|be|have to|going to|go ahead and|like to))* ` +
		`(?:((?:hand|transfer|pass|forward|delegate?|escalate?|route?|connect|redirect|put|turn)(?:r?ing|t?ing)?|refer(?:ring)? (?:you|this|it|your))|(?:ask|consult|involv|bring in|call in|loop in)(?:ing|e)?)\b(.*)`),
	regexp.MustCompile(`(?i)^(?:[^a-z]|(?:ok|okay|sure|alright|right|certainly|now|one moment|understood|thanks|please wait)\b)*` +
		`(?:((?:hand|transferr?|pass|forward|delegat|escalat|rout|connect|redirect|putt|turn)ing|referring (?:you|this|it|your))|(?:ask|consult|involv)ing)\b(.*)`),
}

// noHandoff are words before which a sentence announces nothing.
var noHandoff = regexp.MustCompile(`(?i)\b(?:not|never|cannot|if|unless|whether|when|once|until|instead of|let me know)\b|n['’]t\b`)

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
		t.routeTo(target, sentence)
	}
	return false
}

// routeTo makes the handoff that a model has only announced. Where a tool call
// would have to say more than it has said the answer is as it is.
func (t *turn) routeTo(target, sentence string) {
	args, err := json.Marshal(map[string]string{"targetAgentId": target, "explanation": sentence, "task": sentence})
	if err != nil {
		return
	}
	if c, err := t.handCommand(&hand{ToolCall: state.ToolCall{Args: args}}); err == nil {
		t.commands = append(t.commands, asked{command: c})
	}
}

// announcedTarget finds an agent that an announcement names; "": none, or more
// than one.
func (t *turn) announcedTarget(text string) (target, sentence string) {
	for _, said := range sentences(text) {
		rest, led := handing(said)
		for _, id := range t.ways.spec.Targets {
			if !t.named(rest, id, led) {
				continue
			}
			if target != "" && target != id {
				return "", ""
			}
			target, sentence = id, said
		}
	}
	return target, sentence
}

// handing returns what a sentence that announces a handoff says behind the verb,
// and whether the verb leads to somebody, or asks him; "": it announces none.
func handing(said string) (rest string, led bool) {
	for _, words := range handingWords {
		at := words.FindStringSubmatchIndex(said)
		if at == nil || strings.HasSuffix(said, "?") || noHandoff.MatchString(said[:at[4]]) {
			continue
		}
		return said[at[4]:], at[2] >= 0
	}
	return "", false
}

// sentences parts a text into its sentences, with the mark at their end.
func sentences(text string) (out []string) {
	begin := 0
	for i, c := range text {
		if strings.ContainsRune(".!?;\n", c) {
			out = append(out, strings.TrimSpace(text[begin:i+1]))
			begin = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[begin:]))
}

// named reports whether a text goes on with an agent's name: led to it by a word as
// "to", or at once.
func (t *turn) named(text, id string, led bool) bool {
	names := []string{id}
	if p, ok := t.seat.Policy.Registry.Get(id); ok && p.Name != "" {
		names = append(names, p.Name)
	}
	words := strings.Fields(plainWords(text))
	for _, name := range names {
		if leadsTo(words, strings.Fields(plainWords(name)), led) {
			return true
		}
	}
	return false
}

// leadsTo reports whether words that say who it is, and nothing else, lead to a
// name.
func leadsTo(words, name []string, led bool) bool {
	open := !led
	for i, word := range words {
		switch {
		case open && len(name) > 0 && len(words)-i >= len(name) && slices.Equal(words[i:i+len(name)], name):
			return true
		case led && slices.Contains(leadingWords, word):
			open = true
		case !slices.Contains(describingWords, word):
			open = false
		}
	}
	return false
}

var (
	leadingWords    = []string{"to", "with", "onto"}
	describingWords = strings.Fields("the our my a an your that agent agents specialist specialists expert experts assistant colleague colleagues team department desk people friends at in of from called named friendly responsible right")
)

// plainWords are the words of a text in small letters, with a space between them.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 127)
	}), " ")
}
