package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs/bus"
)

// TestRefusedTaskFails: X-36, S3-41: the bus is told that the task failed, with
// the target's reason, and the queued one that it is completed.
func TestRefusedTaskFails(t *testing.T) {
	p := play(t, "X-36-refuse.yaml").run(`{}`)
	failed := p.messages(bus.TaskFailed)
	require.Len(t, failed, 1)
	require.Equal(t, "FLIGHT_SEARCH", failed[0].Source)
	require.Equal(t, "search_flights", failed[0].Payload["task"])
	require.Contains(t, failed[0].Payload["error"], "3 of 3 tasks at work")
	require.Equal(t, []string{"FLIGHT_SEARCH", "FLIGHT_SEARCH"}, targets(p.messages(bus.AgentHandoff)))
}

// TestWithoutAgeingTheLowStarves: X-36: it is the ageing that lets the low
// task in.
func TestWithoutAgeingTheLowStarves(t *testing.T) {
	place := func(p *played) (at, of int) {
		done := p.run(`{}`).field("done").([]any)
		t.Log(done)
		for i, task := range done {
			if task == "low" {
				at = i + 1
			}
		}
		return at, len(done)
	}
	at, of := place(play(t, "X-36-ageing.yaml"))
	require.Equal(t, []int{9, 17}, []int{at, of})
	at, of = place(play(t, "X-36-ageing.yaml", "{ageing: 1m}", "{}"))
	require.Equal(t, []int{17, 17}, []int{at, of})
}
