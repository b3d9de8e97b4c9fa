package nodes

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// finishTool is the tool by which an agent that stays ends what it was called
// for.
const finishTool = "finish"

const finishText = `Ends what you were called for, and gives the result to the agent that called you. Call it when the work is done, or cannot be done.`

const finishSchema = `{"type":"object","properties":{` +
	`"status":{"type":"string","enum":["completed","partial","failed"],"description":"How it ended."},` +
	`"result":{"type":"string","minLength":1,"description":"What you did, what came of it and what is still open; if it failed, why."},` +
	`"value":{"description":"The result as data, if it was asked for."}},"required":["status","result"],"additionalProperties":false}`

var errFinish = errors.New("the arguments of finish")

// finishCommand makes the command of a call of finish.
func finishCommand(data json.RawMessage) (handoffs.Command, error) {
	var args struct {
		Status handoffs.Status `json:"status"`
		Result string          `json:"result"`
		Value  json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(data, &args); err != nil {
		return handoffs.Command{}, fmt.Errorf("%w: %w", errFinish, err)
	}
	switch {
	case strings.TrimSpace(args.Result) == "":
		return handoffs.Command{}, fmt.Errorf("%w: result is empty", errFinish)
	case args.Status != handoffs.Completed && args.Status != handoffs.Failed && args.Status != handoffs.Partial:
		return handoffs.Command{}, fmt.Errorf("%w: status must be completed, partial or failed", errFinish)
	}
	out := &handoffs.Outcome{Status: args.Status, Text: args.Result}
	if args.Status == handoffs.Failed {
		out.Text, out.Error, out.Code = "", args.Result, handoffs.CodeFailed
	}
	if args.Value != nil {
		v, err := state.ParseAny(args.Value)
		if err != nil {
			return handoffs.Command{}, fmt.Errorf("%w: value: %w", errFinish, err)
		}
		out.Value = v
	}
	return handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Return, Result: out}, nil
}
