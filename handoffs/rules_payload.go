package handoffs

import (
	"errors"
	"fmt"
	"strings"
)

// payloadOf computes a rule's payload. The error names every key that is
// missing or does not fit.
func (c *ruleChoice) payloadOf(r *Rule) (map[string]any, error) {
	if r.Payload == nil {
		return c.ev.Payload, nil
	}
	out := make(map[string]any, len(r.Payload))
	var problems []error
	for i := range r.Payload {
		field := &r.Payload[i]
		v, err := field.value(c)
		switch {
		case err == nil && v == nil && !field.Optional:
			err = errors.New(field.missing(c.ev.Trigger))
		case err == nil && v != nil:
			v, err = field.fit(v)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("payload %q: %w", field.Key, err))
		} else if v != nil {
			out[field.Key] = v
		}
	}
	return out, oneLine(problems)
}

// oneLine is one error of several, on one line.
func oneLine(problems []error) error {
	if len(problems) < 2 {
		return errors.Join(problems...)
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}

// value computes the value of a key; nil: there is none.
func (p *RulePayload) value(c *ruleChoice) (any, error) {
	if p.From == nil {
		return c.ev.Payload[p.Key], nil
	}
	return p.From.eval(c.see)
}

// fit puts whole numbers into the form in which they come back from storage,
// and checks the value.
func (p *RulePayload) fit(v any) (any, error) {
	if n, ok := explainWhole(v); ok {
		v = n
	}
	if problem := p.wrong(map[string]any{p.Key: v}); problem != "" {
		return nil, errors.New(problem)
	}
	return v, nil
}

// missing says what was to give the value.
func (p *RulePayload) missing(trigger string) string {
	switch {
	case p.From != nil && p.From.Text != "":
		return "it is needed, and " + p.From.Text + " gives none"
	case p.From != nil:
		return "it is needed, and the rule computes none"
	case trigger == "":
		return "it is needed, and there is no trigger that could carry it"
	}
	return "it is needed, and " + trigger + " does not carry it"
}
