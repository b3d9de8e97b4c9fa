package prd040

import (
	"context"

	"github.com/graphrun/graphrun/handoffs"
)

// Where RouteHandoffs leads.
const (
	NodeProcessHandoff = handoffs.NodeProcess
	NodeNextStep       = handoffs.NodeNext
	NodeComplete       = handoffs.NodeComplete
)

// ErrNoCommand is the error of ProcessHandoffs if there is nothing to process.
const ErrNoCommand = textError("No handoff command found")

type textError string

// Error returns the text.
func (e textError) Error() string { return string(e) }

// RouteHandoffs says where a state goes on: to process_handoff if there is a
// command among its tool executions that was not processed yet, else to
// next_step if its plan has a step behind the one at work, else to complete. For
// a graph's router see NewTeam.
func RouteHandoffs(s *State) string {
	switch {
	case asks(s):
		return NodeProcessHandoff
	case s.Plan.More():
		return NodeNextStep
	}
	return NodeComplete
}

// asks reports whether a state has a command that was not processed yet.
func asks(s *State) bool {
	for _, x := range s.Handoffs.Unread(s.ToolExecutions) {
		if x.Tool == ToolName && IsHandoffCommand(x.Input) {
			return true
		}
	}
	return false
}

// ProcessHandoffs is process_handoff on a state: it processes all commands
// among its tool executions that were not processed yet. The first handoff of
// several counts, the others are superseded. Each is processed once: behind it
// RouteHandoffs leads on. Without a command the error is ErrNoCommand.
func (m *HandoffManager) ProcessHandoffs(ctx context.Context, s *State) (HandoffResult, error) {
	if !asks(s) {
		return HandoffResult{}, ErrNoCommand
	}
	in := m.batch(s, s.ActiveAgent)
	in.Executions = s.ToolExecutions
	res, err := m.manager.Step(ctx, in)
	return m.told(ctx, s, res, err)
}
