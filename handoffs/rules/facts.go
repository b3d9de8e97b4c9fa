package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
)

// given looks a fact up: in the trigger's payload, then among the workflow's.
func given(f handoffs.Facts, name string) any {
	if p, ok := f("payload"); ok {
		if m, is := p.(map[string]any); is && m[name] != nil {
			return m[name]
		}
	}
	v, _ := f(name)
	return v
}

// carried is what the trigger itself says: what an earlier one said of another
// error does not count.
func carried(f handoffs.Facts, name string) any {
	return given(func(fact string) (any, bool) {
		if fact != "payload" {
			return nil, false
		}
		return f(fact)
	}, name)
}

// value is a fact in a payload or a priority.
func value(name string) *handoffs.Value {
	return &handoffs.Value{Text: name, Eval: func(f handoffs.Facts) (any, error) { return given(f, name), nil }}
}

func must(key, typ string) handoffs.RulePayload {
	return handoffs.RulePayload{PayloadField: handoffs.PayloadField{Key: key, Type: typ}, From: value(key)}
}

func may(key, typ string) handoffs.RulePayload {
	p := must(key, typ)
	p.Optional = true
	return p
}

// payload is what all payloads have, and more. Whose request it is no trigger
// says.
func payload(more ...handoffs.RulePayload) []handoffs.RulePayload {
	request, session := must("requestId", "string"), may("sessionId", "string")
	request.From, session.From = fact("requestId"), fact("sessionId")
	return append([]handoffs.RulePayload{request, session}, more...)
}

// fact is a fact of the workflow in a payload.
func fact(name string) *handoffs.Value {
	return &handoffs.Value{Text: name, Eval: func(f handoffs.Facts) (any, error) { v, _ := f(name); return v, nil }}
}

// problem is the payload of what goes to the error monitor.
func problem(types []string, more ...handoffs.RulePayload) []handoffs.RulePayload {
	sort := handoffs.RulePayload{PayloadField: handoffs.PayloadField{Key: "errorType", Type: "string"}} // that the trigger carries
	retryable := handoffs.RulePayload{PayloadField: handoffs.PayloadField{Key: "retryable", Type: "bool", Optional: true}}
	text := handoffs.RulePayload{PayloadField: handoffs.PayloadField{Key: "error", Type: "string", Optional: true}}
	for _, t := range types {
		sort.Enum = append(sort.Enum, t)
	}
	return payload(append([]handoffs.RulePayload{sort, retryable, text}, more...)...)
}

// minimum is how many quotes there must be.
func minimum() handoffs.RulePayload {
	p := must("minimumRequired", "int")
	p.From = &handoffs.Value{Text: "the least number of quotes", Eval: func(handoffs.Facts) (any, error) { return int64(MinimumQuotes), nil }}
	return p
}

// known holds if one of several facts is there, or if none is.
func known(want bool, names ...string) *handoffs.Guard {
	g := &handoffs.Guard{Text: strings.Join(names, " or ") + " is given"}
	for _, name := range names {
		g.Range = append(g.Range, []handoffs.Comparison{{Field: name, Op: "!=", Value: nil}})
	}
	if !want {
		g.Text, g.Range = "neither "+strings.Join(names, " nor ")+" is given", [][]handoffs.Comparison{nil}
		for _, name := range names {
			g.Range[0] = append(g.Range[0], handoffs.Comparison{Field: name, Op: "==", Value: nil})
		}
	}
	g.Holds = func(f handoffs.Facts) (bool, string, error) {
		some := slices.ContainsFunc(names, func(name string) bool { v := given(f, name); return v != nil && v != "" })
		return some == want, fmt.Sprintf("%s: %t", strings.Join(names, " or "), some), nil
	}
	return g
}

// enoughQuotes holds if there are as many as it takes.
func enoughQuotes() *handoffs.Guard {
	return &handoffs.Guard{
		Text:  fmt.Sprintf("quotesCount >= %d", MinimumQuotes),
		Range: [][]handoffs.Comparison{{{Field: "quotesCount", Op: ">=", Value: int64(MinimumQuotes)}}},
		Holds: func(f handoffs.Facts) (bool, string, error) {
			n, is := given(f, "quotesCount").(int64)
			return is && n >= MinimumQuotes, fmt.Sprintf("quotesCount = %v", given(f, "quotesCount")), nil
		},
	}
}

// proposals holds if there are as many as are sent, or if there are fewer.
func proposals(enough bool) *handoffs.Guard {
	text := fmt.Sprintf("topProposals has %d", TopProposals)
	if !enough {
		text = fmt.Sprintf("topProposals has fewer than %d", TopProposals)
	}
	return &handoffs.Guard{Text: text, Holds: func(f handoffs.Facts) (bool, string, error) {
		all, _ := given(f, "topProposals").([]any)
		return len(all) >= TopProposals == enough, fmt.Sprintf("topProposals has %d", len(all)), nil
	}}
}
