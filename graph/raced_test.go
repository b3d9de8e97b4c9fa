//go:build race

package graph_test

// raced says that the race detector is on, which makes runs slow.
const raced = true
