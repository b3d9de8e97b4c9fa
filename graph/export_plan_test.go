package graph

import "github.com/graphrun/graphrun/internal/kernel"

// PlanOf returns what the kernel knows of a graph, for tests that drive it
// without this package's runner.
func PlanOf[S any](g *Graph[S]) *kernel.Plan { return g.program.plan }
