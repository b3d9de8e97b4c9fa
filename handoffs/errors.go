package handoffs

import (
	"fmt"

	"github.com/graphrun/graphrun/graph"
)

// Error is a handoff that failed for good: what errors.As finds in the error of
// a run. errors.Is matches its Code, and graph.ErrLimit if a limit was hit.
type Error struct {
	Code    Code
	Codes   []Code // everything that spoke against it
	Handoff string // its id
	From    string
	To      string // the target that was not reached
	Message string
	Err     error // the cause, if it was another error
}

// Error tells from whom to whom, why and the code. What an agent failed at by
// itself is told as that agent's.
func (e *Error) Error() string {
	text := e.Message
	if e.Err != nil && text == "" {
		text = e.Err.Error()
	}
	if e.From == "" && e.To == "" {
		return fmt.Sprintf("handoff: %s (%s)", text, string(e.Code))
	}
	if e.From == e.To && e.Code != CodeSelf {
		return fmt.Sprintf("agent %s: %s (%s)", e.To, text, string(e.Code))
	}
	return fmt.Sprintf("handoff %s->%s: %s (%s)", e.From, e.To, text, string(e.Code))
}

// Unwrap returns the code, graph.ErrLimit for limits, and the cause.
func (e *Error) Unwrap() []error {
	errs := []error{e.Code}
	if e.Code.Limit() {
		errs = append(errs, graph.ErrLimit)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// Error makes a code an error that errors.Is finds in an *Error. It returns the code.
func (c Code) Error() string { return string(c) }

// Limit reports whether the code is that of a limit.
func (c Code) Limit() bool {
	switch c {
	case CodeLimit, CodeEconomic, CodeAgents, CodeDepth, CodeTurns, CodeBudget, CodeDeadline, CodeQuota:
		return true
	}
	return false
}
