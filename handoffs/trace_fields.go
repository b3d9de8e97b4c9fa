package handoffs

import "time"

// fields returns a record as messages carry it: under the keys of its JSON
// form, without what is empty.
func (r *Record) fields() map[string]any {
	m := map[string]any{"handoffId": r.ID, "fromAgentId": r.From, "toAgentId": r.To, "kind": string(r.Kind), "timestamp": r.At.Format(time.RFC3339Nano)}
	for key, text := range map[string]string{
		"actor": string(r.Actor), "reason": string(r.Reason), "explanation": r.Explanation, "userIntent": r.Intent, "task": r.Task,
		"planStepId": r.PlanStep, "priority": string(r.Priority), "capability": r.Capability, "trigger": r.Trigger, "rule": r.Rule,
		"callerFrame": r.Caller, "group": r.Group, "branch": r.Branch, "traceId": r.Trace, "sessionId": r.Session, "contextHash": r.Hash,
	} {
		if text != "" {
			m[key] = text
		}
	}
	if r.Return {
		m["returnControl"] = true
	}
	if len(r.Payload) > 0 {
		m["payload"] = r.Payload
	}
	return m
}

// fields returns an outcome under the keys of its JSON form, without what is
// empty.
func (o *Outcome) fields() map[string]any {
	m := map[string]any{"status": string(o.Status)}
	for key, text := range map[string]string{"text": o.Text, "error": o.Error, "code": string(o.Code)} {
		if text != "" {
			m[key] = text
		}
	}
	if o.Value != nil {
		m["value"] = o.Value
	}
	if len(o.Outputs) > 0 {
		m["outputs"] = o.Outputs
	}
	if o.Retry {
		m["retryable"] = true
	}
	if o.Turns != 0 {
		m["iterations"] = int64(o.Turns)
	}
	if len(o.Missing) > 0 {
		missing := make([]any, len(o.Missing))
		for i, name := range o.Missing {
			missing[i] = name
		}
		m["missing"] = missing
	}
	return m
}
