package handoffs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrRuling: an answer to an Approval cannot be understood.
var ErrRuling = errors.New("the answer is no ruling")

// ParseRuling reads a person's answer to an Approval: a Ruling, an object with
// the keys of one, one of the words approve, reject and defer, whatever its case,
// or true and false. With Words every text is a ruling: "yes" approves, every
// other one disapproves. Nil is NoAnswer. P may be nil.
//
// Everything else is an ErrRuling that says what is allowed: other words and
// keys, a redirect without a target, an edit that changes nothing, and keys that
// belong to another decision, so that nothing a person said is passed over.
func ParseRuling(answer any, p *ApprovalPolicy) (Ruling, error) {
	words := p != nil && p.Words
	switch a := answer.(type) {
	case Ruling:
		return a.checked()
	case *Ruling:
		if a != nil {
			return a.checked()
		}
	case bool:
		return yesOrNo(a), nil
	case map[string]any:
		return rulingOf(a)
	case string:
		if words {
			return yesOrNo(strings.EqualFold(strings.TrimSpace(a), "yes")), nil
		}
		return (&Ruling{Decision: Answer(a).plain()}).checked()
	case nil:
		return Ruling{}, nil
	}
	return Ruling{}, rulingError("it is %s; an object with a decision is needed, or one of the words", kindOfAnswer(answer))
}

func yesOrNo(yes bool) Ruling {
	if yes {
		return Ruling{Decision: Approve}
	}
	return Ruling{Decision: Disapprove}
}

// plain returns the answer in lower case, without blanks around it.
func (a Answer) plain() Answer { return Answer(strings.ToLower(strings.TrimSpace(string(a)))) }

// rulingOf reads a ruling from an object.
func rulingOf(object map[string]any) (Ruling, error) {
	var r Ruling
	texts := map[string]*string{"decision": (*string)(&r.Decision), "reason": &r.Reason, "target": &r.Target, "task": &r.Task, "by": &r.By}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value := object[key]
		if value == nil {
			continue
		}
		if to, ok := texts[key]; ok {
			if *to, ok = value.(string); !ok {
				return Ruling{}, rulingError("%q is %s; a text is needed", key, kindOfAnswer(value))
			}
			continue
		}
		if key != "payload" {
			return Ruling{}, rulingError("there is no key %q; the keys are decision, reason, target, task, payload and by", key)
		}
		payload, ok := value.(map[string]any)
		if !ok {
			return Ruling{}, rulingError("the payload is %s; an object with the keys to set is needed", kindOfAnswer(value))
		}
		r.Payload = payload
	}
	r.Decision, r.Target = r.Decision.plain(), strings.TrimSpace(r.Target)
	return r.checked()
}

// checked returns a ruling that is in order, or what is wrong with it.
func (r *Ruling) checked() (Ruling, error) {
	if err := r.check(); err != nil {
		return Ruling{}, err
	}
	return *r, nil
}

// check says what is wrong with a ruling.
func (r *Ruling) check() error {
	edits := r.Task != "" || len(r.Payload) > 0
	switch {
	case r.Decision == "":
		return rulingError("it has no decision")
	case !slices.Contains(allAnswers(), r.Decision):
		return rulingError("there is no decision %q", string(r.Decision))
	case r.Decision == Redirect && r.Target == "":
		return rulingError("redirect needs the target, the id of an agent")
	case r.Decision != Redirect && r.Target != "":
		return rulingError("%s has a target, which only redirect may have", r.Decision)
	case r.Decision == Edit && !edits:
		return rulingError("edit needs a task, or a payload with the keys to set")
	case r.Decision != Edit && edits:
		return rulingError("%s has a task or a payload, which only edit may have", r.Decision)
	}
	return nil
}

func rulingError(format string, args ...any) error {
	return fmt.Errorf("handoffs: %w: %s; a decision is approve, reject, edit, redirect or defer", ErrRuling, fmt.Sprintf(format, args...))
}

// kindOfAnswer names what an answer is, as people call it.
func kindOfAnswer(v any) string {
	switch v.(type) {
	case nil:
		return "empty"
	case string:
		return "a text"
	case bool:
		return "yes or no"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case int, int64, float64:
		return "a number"
	}
	return fmt.Sprintf("a %T", v)
}
