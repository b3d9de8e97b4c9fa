package crash_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// scenarios is where the files of sessions are.
const scenarios = "../../testdata/handoffs"

// scenario is a file, with what people say to it.
type scenario struct {
	file   string
	answer any // when it asks; nil: it does not
	// moves are what the user does then, each when the session asks or is over: an
	// agent that is chosen, or resume.
	moves []string
	alone bool // its agents hand nothing off
}

// resume lets those go on that the last choice of an agent has set aside.
const resume = ""

// sessions are the scenarios that are disturbed.
var sessions = []scenario{
	{file: "X-27.txt"},          // five agents; quotes come as signals
	{file: "X-31.txt"},          // what fails is tried again, twice, later and later
	{file: "X-31-always.txt"},   // and given up at last
	{file: "X-33.txt"},          // a timer fires
	{file: "X-34.txt"},          // a mail that is sent again
	{file: "X-25.yaml"},         // side by side; one of them waits
	{file: "X-25-partial.yaml"}, // one of them fails
	{file: "X-25-conflict.yaml"},
	{file: "X-25-arbiter.yaml"},                               // an agent decides what two have written
	{file: "X-39.yaml"},                                       // two calls in a row
	{file: "X-40.yaml"},                                       // a call that fails
	{file: "X-24.yaml", answer: "YES"},                        // a person approves
	{file: "X-53.yaml", answer: "approve"},                    // a person approves calls within branches
	{file: "X-01.yaml"},                                       // a plan, step by step
	{file: "X-02.yaml"},                                       // a call within a step
	{file: "X-03.yaml"},                                       // an agent leaves its step
	{file: "X-08.yaml"},                                       // the supervisor sees to a step that failed
	{file: "X-47.yaml"},                                       // calls of calls, and branches, within a step
	{file: "plan-graph.yaml"},                                 // steps side by side
	{file: "plan-retry.yaml", alone: true},                    // a step is tried again, four times
	{file: "plan-timeout.yaml", alone: true},                  // because it took too long
	{file: "plan-replan.yaml"},                                // a new version of the plan
	{file: "plan-stream.yaml"},                                // the planner beside steps
	{file: "plan-review.yaml", answer: approval, alone: true}, // a person approves the plan
	// The user chooses another agent in the middle of a step, and comes back or not.
	{file: "X-07.yaml", answer: "7", moves: []string{"report", resume}},
	{file: "X-07-abandon.yaml", moves: []string{"report"}},
}

var approval = map[string]any{"decision": "approve", "by": "ada"}

// open returns the path of the scenario's graph file, and its input; "": none.
func (s *scenario) open() (path, input string, err error) {
	text, err := os.ReadFile(filepath.Join(scenarios, s.file))
	if err != nil {
		return "", "", err
	}
	try := firstTry.FindSubmatch(text)
	if try == nil {
		return "", "", fmt.Errorf("%s says nothing to try", s.file)
	}
	return filepath.Join(scenarios, string(try[1])), string(try[2]), nil
}

var firstTry = regexp.MustCompile(`# Try: graphrun run (\S+)(?: --input '(.*)')?\n`)
