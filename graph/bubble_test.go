package graph_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// TestOneGraphServesSeveralBubbles: a compiled graph may be a package variable
// that many tests with a fake clock use.
func TestOneGraphServesSeveralBubbles(t *testing.T) {
	s := &stage{}
	g := s.graph(t, nil)
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := g.Invoke(ctx, nil, nil)
			require.NoError(t, err)
			for _, err := range g.Stream(ctx, nil, &graph.RunConfig{Thread: "t"}) {
				require.NoError(t, err)
			}
		})
	}
}
