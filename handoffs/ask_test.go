package handoffs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// TestAnswerIsNotLostWhenATimeIsUp: what falls due between a question and its
// answer is done, and the answer counts all the same.
func TestAnswerIsNotLostWhenATimeIsUp(t *testing.T) {
	const text = `
agents:
  a: {turns: [{spawn: {branches: [{to: b}, {to: c}]}}, {say: done}]}
  b: {turns: [{wait: {for: 1h}}, {return: "late: ${turn.expired}"}]}
  c: {turns: [{handoff: {to: d}}]}
  d: {turns: [{return: approved}]}
handoffs:
  edges: [a -> b, a -> c, {from: c, to: d, approval: true}]
`
	synctest.Test(t, func(t *testing.T) {
		p := &played{T: t, text: []byte(text), store: checkpoint.NewMemory(nil)}
		require.False(t, p.run(`{}`).done())
		time.Sleep(2 * time.Hour)
		p.resume(graph.Answer("approve"))
		require.True(t, p.done())
		require.Equal(t, 1, p.events(handoffs.EventTimer))
		require.Equal(t, 1, handoffs.Count(p.sight().Log, handoffs.Filter{To: "d", Accepted: true}))
	})
}
