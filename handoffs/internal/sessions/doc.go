// Package sessions keeps the desks and logs of sessions whose agents are no
// nodes of a graph: programs of their own, which come when they have something
// to hand over. Each session is a thread of a checkpoint store; every step of
// the manager is one commit of it, with its rows of the table agent_handoffs.
package sessions
