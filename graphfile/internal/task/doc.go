// Package task is what the scripted nodes and the scripted agents of graph
// files have in common: what their expressions see, how they fail, what they
// ask.
package task
