// Package bench measures what the engine itself costs: trivial nodes (add one
// to a counter, append an int) over states of 8 and of 300 fields, without a
// store, beside what one would write by hand in the same run.
//
//	go test -run - -bench . -count 5 ./bench
//
// docs/benchmarks.md holds the figures and how they were made. The tests of
// this package check that every workload computes what it should, so that the
// figures are of right results.
package bench
