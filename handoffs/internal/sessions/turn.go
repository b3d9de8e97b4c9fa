package sessions

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// AtWork reports whether a turn has not ended: its agent has neither handed on
// nor been cancelled.
func AtWork(d *handoffs.Desk, turn *handoffs.Turn) bool {
	return slices.ContainsFunc(d.Frames, func(f handoffs.Frame) bool {
		return f.ID == turn.Frame && f.Epoch == turn.Epoch && f.State == handoffs.FrameRunning
	})
}

// Failure makes the execution by which a turn has failed.
func Failure(in *handoffs.Batch, turn *handoffs.Turn, why error) (handoffs.Execution, error) {
	c := handoffs.NewCommand("", handoffs.ErrorRecovery, why.Error())
	c.Kind, c.Actor = handoffs.Return, handoffs.BySystem
	c.Result = &handoffs.Outcome{Status: handoffs.Failed, Error: why.Error()}
	return Ending(in, turn, &c)
}

// Ending makes the execution of a command that ends a turn.
func Ending(in *handoffs.Batch, turn *handoffs.Turn, c *handoffs.Command) (handoffs.Execution, error) {
	x, err := Execution(in, turn.Agent, c)
	x.Frame, x.Epoch = turn.Frame, turn.Epoch
	return x, err
}

// Refusal returns why a step's handoff was not accepted, or came to nothing.
func Refusal(res *handoffs.Result) *handoffs.Error {
	for i := range res.Entries {
		e := &res.Entries[i]
		if e.Code == "" {
			continue
		}
		codes := e.Codes
		if codes == nil {
			codes = []handoffs.Code{e.Code}
		}
		return &handoffs.Error{Code: e.Code, Codes: codes, Handoff: e.Handoff, From: e.From, To: e.To, Message: e.Message}
	}
	return &handoffs.Error{Code: handoffs.CodeUnavailable, Codes: []handoffs.Code{handoffs.CodeUnavailable}, Message: "the target has not begun"}
}

// Begun returns the turn with which the target of a step's handoff begins, or
// tries again; nil: there is none.
func Begun(res *handoffs.Result) *handoffs.Turn {
	if res == nil {
		return nil
	}
	for i := range res.Turns {
		if t := &res.Turns[i]; t.Handoff != "" && t.Number == 1 && t.Refused == nil {
			return t
		}
	}
	return nil
}
