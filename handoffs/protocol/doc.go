// Package protocol is the preset for agents that hand over as peers, without a
// supervisor: a command names the next agent and carries an update, made of the
// context, the artifacts so far, the state of the workflow and what it cost.
// Everything is decided by package handoffs; here are the names, texts and
// defaults.
//
//	func plan(ctx context.Context, s Desk) (graph.Command[Desk], error) {
//		u, err := protocol.AcceptHandoff(&s.Turn)
//		…
//		c := u.HandoffToAgent("code-implementer", protocol.Context{
//			TaskDescription: "implement the plan", Completed: true, ArtifactsCreated: []string{"ImplementationPlan"},
//		})
//		c.Update.Artifacts["ImplementationPlan"] = protocol.Path("plan.md")
//		h, err := c.Handoff()
//		…
//		return team.HandOff(ctx, s, h)
//	}
//
// # Limits
//
//	what                         error                   by default
//	handoffs of a workflow       HandoffLimitExceeded    5
//	economic class of the run    EconomicLimitExceeded   none; simple 0, medium 2, complex 5 handoffs
//	the same handoff again       DeadlockDetected        same ends and context within three
//	failures in a row            CircuitBreakerOpen      3, then open for 30 s, then one probe
//
// They are codes of package handoffs: errors.Is finds them in the error of a
// run, which they end, and tells a code by its name here or there. Counters of
// tokens and time do not make a context another one.
//
// A chain of quality checks needs more than five handoffs when one check sends
// the work back: Config.Loopbacks gives the way back a quota of its own.
//
// # Independent mode
//
// Handoffs are opted in by Config.EnableHandoffs, for all classes or some. Else
// every agent works alone, and is told so when it tries (Turn.Refused). When
// package handoffs itself is out of order agents go on alone as well; with
// Config.Fallback also when a handoff is rejected. An agent that fails ends the
// run in any case.
//
// # Approval
//
// Config.RequiresHumanApproval says which handoffs a person must approve: the
// run asks, and goes on with "yes". Every other answer ends it.
package protocol
