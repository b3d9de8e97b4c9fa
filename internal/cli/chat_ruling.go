package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// rulingAsking takes what a person decides about a handoff or a plan: an object
// with a decision. A decision is a word, its number, y or n; what stands behind
// it is the reason, the agent to redirect to, or what to edit.
type rulingAsking struct {
	words  []string
	edit   func(ruling map[string]any, rest string) error
	check  func(ruling map[string]any) error // nil: the run does
	ruling map[string]any
}

func rulingWords(choices any) []string {
	var out []string
	list, _ := choices.([]any)
	for _, c := range list {
		if word, ok := c.(string); ok {
			out = append(out, word)
		}
	}
	return out
}

func (r *rulingAsking) next() string {
	rows := make([]string, len(r.words))
	for i, word := range r.words {
		rows[i] = fmt.Sprintf("  %d. %s", i+1, oneLine(word)+rulingHint(word))
	}
	return strings.Join(rows, "\n")
}

func rulingHint(word string) string {
	switch word {
	case "approve", "reject", "defer":
		return " [REASON]"
	case "edit":
		return " WHAT"
	case "redirect":
		return " AGENT"
	}
	return ""
}

func (r *rulingAsking) take(line string) (bool, error) {
	line = strings.TrimSpace(line)
	ruling := map[string]any{}
	if v, err := state.ParseAny([]byte(line)); err == nil {
		if object, ok := v.(map[string]any); ok {
			return r.settle(object)
		}
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	decision, ok := r.decision(word)
	if !ok {
		return false, fmt.Errorf("%q is no decision; %s%s", word, strings.Join(r.words, ", "), didYouMean(word, r.words))
	}
	ruling["decision"] = decision
	switch {
	case decision == "edit":
		if err := r.edit(ruling, rest); err != nil {
			return false, err
		}
	case rest == "":
	case decision == "redirect":
		ruling["target"] = rest
	default:
		ruling["reason"] = rest
	}
	return r.settle(ruling)
}

// decision is what a word stands for.
func (r *rulingAsking) decision(word string) (string, bool) {
	word = strings.ToLower(strings.TrimRight(word, ",.:"))
	switch word {
	case "y", "yes", "true":
		word = "approve"
	case "n", "no", "false":
		word = "reject"
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(r.words) {
		word = r.words[n-1]
	}
	return word, slices.Contains(r.words, word)
}

func (r *rulingAsking) settle(ruling map[string]any) (bool, error) {
	if r.check != nil {
		if err := r.check(ruling); err != nil {
			return false, err
		}
	}
	r.ruling = ruling
	return true, nil
}

func (r *rulingAsking) answer() any { return r.ruling }

func checkRuling(ruling map[string]any) error {
	_, err := handoffs.ParseRuling(ruling, nil)
	return err
}

// editOffer reads what a handoff's target is to do: the task as a text, or an
// object with task and payload.
func editOffer(ruling map[string]any, rest string) error {
	v, err := state.ParseAny([]byte(rest))
	object, ok := v.(map[string]any)
	switch {
	case rest == "":
		return fmt.Errorf(`edit needs the new task, or {"task": TEXT, "payload": OBJECT}, behind it`)
	case err != nil || !ok:
		ruling["task"] = rest
		return nil
	}
	for key, value := range object {
		ruling[key] = value
	}
	return nil
}

// editPlan reads the plan that is to be worked on.
func editPlan(ruling map[string]any, rest string) error {
	v, err := state.ParseAny([]byte(rest))
	if _, ok := v.(map[string]any); err != nil || !ok {
		return fmt.Errorf("edit needs the plan, a JSON object, behind it")
	}
	ruling["plan"] = v
	return nil
}
