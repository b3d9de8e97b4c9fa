// Package team reads the sections of graph files that are about agents: who
// there is, what each of them does turn by turn, and the policy by which they
// hand work to one another. It knows nothing of nodes and edges.
//
// Read makes a Team of the sections in one go and reports everything that is
// wrong with them, each where it stands.
package team
