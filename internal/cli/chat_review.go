package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// reviewAsking takes what a person decides about calls of tools, one after the
// other.
type reviewAsking struct {
	actions   []reviewAction
	decisions []any
	edits     []callEdit
}

// callEdit is what a person has made of the arguments of a call.
type callEdit struct {
	name          string
	before, after any
}

// reviewAction is a call that a person is asked about.
type reviewAction struct {
	name, about string
	args        any
	allowed     []string // nil: all
}

// newReviewAsking reads a question in the form of nodes.Review; it is false for
// others.
func newReviewAsking(m map[string]any) (*reviewAsking, bool) {
	requests, _ := m["action_requests"].([]any)
	configs, _ := m["review_configs"].([]any)
	r := &reviewAsking{}
	for i, one := range requests {
		request, ok := one.(map[string]any)
		if !ok {
			return nil, false
		}
		a := reviewAction{args: request["args"]}
		a.name, _ = request["name"].(string)
		a.about, _ = request["description"].(string)
		if i < len(configs) {
			config, _ := configs[i].(map[string]any)
			a.allowed = rulingWords(config["allowed_decisions"])
		}
		r.actions = append(r.actions, a)
	}
	return r, len(r.actions) > 0
}

func (r *reviewAsking) next() string {
	a := &r.actions[len(r.decisions)]
	text := "  " + oneLine(a.name) + " " + oneLine(valueText(a.args))
	if len(r.actions) > 1 {
		text = fmt.Sprintf("  %d of %d:%s", len(r.decisions)+1, len(r.actions), text[1:])
	}
	for line := range strings.SplitSeq(strings.TrimSpace(a.about), "\n") {
		if line != "" {
			text += "\n    " + line
		}
	}
	return text + "\n  " + a.ways()
}

// ways says how an action may be answered.
func (a *reviewAction) ways() string {
	var ways []string
	for _, w := range [][2]string{{"approve", "y"}, {"reject", "n [WHY]"}, {"edit", "edit ARGUMENTS (JSON)"}} {
		if a.may(w[0]) {
			ways = append(ways, w[1])
		}
	}
	return strings.Join(ways, ", ")
}

func (a *reviewAction) may(kind string) bool {
	return a.allowed == nil || slices.Contains(a.allowed, kind)
}

func (r *reviewAsking) take(line string) (bool, error) {
	a := &r.actions[len(r.decisions)]
	d, err := a.decision(strings.TrimSpace(line))
	if err != nil {
		return false, err
	}
	r.decisions = append(r.decisions, d)
	if e, ok := d["edited_action"].(map[string]any); ok {
		r.edits = append(r.edits, callEdit{a.name, a.args, e["args"]})
	}
	return len(r.decisions) == len(r.actions), nil
}

// decision reads what is decided about an action.
func (a *reviewAction) decision(line string) (map[string]any, error) {
	word, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(line, "{") {
		word, rest = "edit", line
	}
	rest = strings.TrimSpace(rest)
	d := map[string]any{}
	switch strings.ToLower(word) {
	case "y", "yes", "approve":
		d["type"] = "approve"
	case "n", "no", "reject":
		d["type"] = "reject"
		if rest != "" {
			d["message"] = rest
		}
	case "e", "edit":
		args, err := state.ParseAny([]byte(rest))
		if _, ok := args.(map[string]any); err != nil || !ok {
			return nil, errors.New("edit needs the arguments to call with, a JSON object, behind it")
		}
		d["type"], d["edited_action"] = "edit", map[string]any{"name": a.name, "args": args}
	default:
		return nil, fmt.Errorf("%q is no decision; %s", word, a.ways())
	}
	if kind := d["type"].(string); !a.may(kind) {
		return nil, fmt.Errorf("%s is not allowed here; %s", kind, a.ways())
	}
	return d, nil
}

func (r *reviewAsking) answer() any { return map[string]any{"decisions": r.decisions} }
