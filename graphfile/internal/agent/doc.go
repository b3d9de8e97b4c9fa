// Package agent reads what graph files say of agents that work with a model, be
// it in a team or as a node: instructions, tools, the shape of the answer, limits.
package agent
