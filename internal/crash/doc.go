// Package crash holds the tests of what a run leaves behind when it is
// disturbed: when its process is killed, when its store fails at any one call,
// when the disk is full or may not be written, when two processes want the
// same thread. After each disturbance the thread is gone on with, and must
// come to the state, the log and the effects of a run that nobody disturbed.
//
// With the race detector the tests that kill processes run in a process of their
// own without it, which is built for that: go must be there.
//
// There is nothing to import. The flags of the tests are
//
//	-kills N    how often processes are killed, over all graphs
//	-seed N     what the moments of the kills are drawn from
//	-stride N   with SQLite, let only every N-th call of the store fail, and kill
//	            sessions only at every N-th moment
//	-runs N     how many runs are made before goroutines and memory are counted
package crash
