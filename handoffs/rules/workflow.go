package rules

import (
	"context"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
)

// WorkflowStateMachine says which states follow which, and in which one a
// request is.
type WorkflowStateMachine struct {
	machine *handoffs.Machine
	book    *sessions.Book[request]
}

// StateMachine returns the workflow's states.
func (m *HandoffManager) StateMachine() *WorkflowStateMachine {
	return &WorkflowStateMachine{machine: m.book.Manager().Policy().Machine, book: m.book}
}

// CanTransition reports whether a state may follow another one. States move
// with handoffs, and with what agents say in TaskResult.States.
func (w *WorkflowStateMachine) CanTransition(from, to string) bool {
	return w.machine.CanMove(from, to)
}

// ResponsibleAgent returns the agent that is responsible in a state; "": nobody.
func (w *WorkflowStateMachine) ResponsibleAgent(state string) string {
	return w.machine.Responsible(state)
}

// GetState returns the state of a request; "": it has not begun.
func (w *WorkflowStateMachine) GetState(ctx context.Context, requestID string) (string, error) {
	at, err := w.book.Load(ctx, requestID)
	return at.Handoffs.Machine, err
}

// path returns what is wrong with a way through states; nil: nothing.
func (w *WorkflowStateMachine) path(from string, states []string) error {
	for _, to := range states {
		if !w.CanTransition(from, to) {
			code := handoffs.CodeTransition
			return &handoffs.Error{Code: code, Codes: []handoffs.Code{code}, Message: "Invalid state transition: " + from + " -> " + to}
		}
		from = to
	}
	return nil
}
