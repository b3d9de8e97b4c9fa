// Package rules is the preset for workflows that are led by handoff rules: data
// that say who hands to whom when, in which state of the workflow, with which
// payload. Everything is decided by package handoffs; here are the names, texts
// and defaults, and as an example one workflow as a whole: a request for a
// charter flight, from the first look at it to the mail with three proposals.
//
// # The rules as data
//
// Rules and Machine are that workflow's rules and states, Workflow its whole
// policy; Policy is the policy for other rules. Give it to a handoffs.Team, and
// agents that are nodes say what has happened by a command with a Trigger; or to
// a HandoffManager, for agents that are programs of their own. Complete gives other
// rules the usual retries. In a graph file it is the preset "rules": its agent
// ERROR_MONITOR, or the one that "supervisor" names, gets what fails.
//
//	from                to                  when
//	ORCHESTRATOR        CLIENT_DATA         1.1 a client is given
//	ORCHESTRATOR        FLIGHT_SEARCH       1.2 no client is given
//	CLIENT_DATA         FLIGHT_SEARCH       2.1 the client's data are there, or there are none
//	FLIGHT_SEARCH       PROPOSAL_ANALYSIS   3.1 there are three quotes
//	PROPOSAL_ANALYSIS   COMMUNICATION       4.1 there are three proposals
//	any of them         ERROR_MONITOR       1.3, 2.2, 3.2, 4.2, 5.1 it cannot go on
//	ERROR_MONITOR       where it failed     6.1, 6.2, 6.3 up to three times, behind 1 s, 2 s, 4 s
//
// # The manager
//
//	m, err := rules.NewHandoffManager(rules.Config{Store: store})
//	task, err := m.StartWorkflow(ctx, rules.AgentContext{RequestID: "rfp-1"}, facts)
//	next, err := m.CompleteTask(ctx, task.ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
//
// Then the bus has a message AGENT_HANDOFF, of which the target learns by its
// subscription:
//
//	messages, err := m.Bus().Subscribe(ctx, bus.Filter{Types: []string{bus.AgentHandoff}, Target: rules.ClientData})
//	for msg := range messages {
//		task, err := m.AcceptHandoff(ctx, rules.TaskID(&msg), rules.ClientData)
//		…
//		next, err := m.CompleteTask(ctx, task.ID, rules.ClientData, rules.TaskResult{Trigger: rules.ClientDataComplete, Payload: found})
//	}
//
// Or it asks GetPendingHandoffs, the most urgent one first. It may also reject the
// task, or fail: then the bus has TASK_FAILED, and the error monitor is at work; its
// task (AtWork) says what was refused, by whom and why. A task that nobody accepts
// within 30 seconds goes there too; HandleTimeouts, called now and then, sees to it.
// Handoff is for agents that decide themselves: it goes along a way of the rules and
// does not ask their conditions.
//
// A request is a thread of the store: its state, what is pending and when it is
// due outlive the process. Messages may come again behind a crash, with the same
// IDs.
package rules
