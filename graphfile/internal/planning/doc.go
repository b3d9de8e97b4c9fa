// Package planning reads the section plan of a graph file: the plan that runs
// begin with, how plans are worked on, and a planner that is a script.
//
// Read reads what the section says by itself; Compile reads its expressions when
// the fields of the state are known; Tell says where in the file the problems
// stand that package plan finds. All report what is wrong and go on.
package planning
