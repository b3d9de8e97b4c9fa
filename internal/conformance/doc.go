// Package conformance reads the recorded cases of testdata/conformance, plays
// their sessions on a Driver and compares what happened with what LangGraph
// did. The tests that use it say how an operation is done: through the
// library or through the command.
package conformance
