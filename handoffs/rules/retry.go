package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// Complete gives rules what they leave open of how failures are tried again. A
// rule by which the monitor answers ERROR_RETRY does so up to three times in a
// session, behind waits of which each is twice as long as the one before, one
// second at first. A failure goes on in Rule.Again if it is "retryable", unless
// the rules with a Retry that lead back to the agent that failed have no attempt
// left; else in Rule.Next. What the rules say themselves holds.
func Complete(r *handoffs.Rules, monitor string) {
	for i := range r.List {
		rule := &r.List[i]
		if rule.Retry == nil && slices.Contains(rule.From, monitor) && slices.Contains(rule.Triggers, ErrorRetry) {
			rule.Retry = &handoffs.Retry{Max: RetryLimit, Factor: 2}
		}
	}
	if r.Retries == nil {
		r.Retries = retries(r.List)
	}
}

// retries says whether the workflow waits for another attempt, or has failed.
func retries(list []handoffs.Rule) *handoffs.Guard {
	return &handoffs.Guard{Text: "the error is retryable, and an attempt is left", Holds: func(f handoffs.Facts) (bool, string, error) {
		source, _ := f("source")
		left := attempts(list, source, f)
		return left && carried(f, "retryable") == true, fmt.Sprintf("an attempt is left: %t", left), nil
	}}
}

// attempts reports whether a rule that leads back to an agent may fire once more,
// or none counts how often it does.
func attempts(list []handoffs.Rule, agent any, f handoffs.Facts) bool {
	counted := false
	for i := range list {
		r := &list[i]
		if r.Retry == nil || r.To != agent && r.To != "" {
			continue
		}
		if counted = true; fired(f, r.Name) < int64(cmp.Or(r.Retry.Max, RetryLimit)) {
			return true
		}
	}
	return !counted
}

// fired is how often a rule has handed over.
func fired(f handoffs.Facts, rule string) int64 {
	all, _ := f("fired")
	m, _ := all.(map[string]any)
	n, _ := m[rule].(int64)
	return n
}

// count is how often a rule has tried again.
func count(rule string) handoffs.RulePayload {
	p := must("retryCount", "int")
	p.From = &handoffs.Value{Text: "the retries of " + rule, Eval: func(f handoffs.Facts) (any, error) { return fired(f, rule), nil }}
	return p
}

// retriedBy says which rule of the workflow tries an error again; "": none does.
func retriedBy(errorType any) string {
	switch errorType {
	case ExternalServiceError:
		return "6.1"
	case AvinodeError, QuoteTimeoutError:
		return "6.2"
	case EmailDeliveryError:
		return "6.3"
	}
	return ""
}

// retryOf holds if what failed is a rule's to try again.
func retryOf(rule string) *handoffs.Guard {
	g := &handoffs.Guard{Text: "originalError is one that " + rule + " tries again"}
	for _, t := range []string{ExternalServiceError, AvinodeError, QuoteTimeoutError, EmailDeliveryError} {
		if retriedBy(t) == rule {
			g.Range = append(g.Range, []handoffs.Comparison{{Field: "originalError", Op: "==", Value: t}})
		}
	}
	g.Holds = func(f handoffs.Facts) (bool, string, error) {
		sort := carried(f, "originalError")
		return retriedBy(sort) == rule, fmt.Sprintf("originalError = %v", sort), nil
	}
	return g
}
