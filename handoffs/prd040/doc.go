// Package prd040 is the preset for dynamic handoffs: agents delegate to one
// another while they work, a supervisor gets what is rejected, users choose
// whom they talk to, and a plan says who is next. Everything is decided by
// package handoffs; here are the names, texts and defaults.
//
// # In a graph
//
// Embed State, make handles with FieldsOf, and let NewTeam wire the agents:
//
//	type Desk struct{ prd040.State }
//
//	var (
//		fields = prd040.FieldsOf(func(d *Desk) *prd040.State { return &d.State })
//		schema = state.MustSchema(fields)
//	)
//
//	team, err := prd040.NewTeam(prd040.TeamConfig[Desk]{Fields: fields, Agents: agents})
//	g, err := team.Compile(schema, &graph.Config{Store: store})
//
// An agent hands over by a command:
//
//	func bc(ctx context.Context, d Desk) (graph.Command[Desk], error) {
//		if d.Turn.Results == nil && needsDocuments(d) {
//			return team.HandOff(ctx, d, prd040.CapabilityHandoff("rag-agent", "rag_search", query(d)))
//		}
//		…
//	}
//
// With ReturnControl it goes on when the target is done; d.Turn.Results has what
// came of it. A plan's cursor is moved by the node next_step alone, so that no
// detour advances it. Watchers of the run get agent_handoff, agent_changed and
// handoff_rejected as events, which LogNotice logs.
//
// # Without a graph
//
// A HandoffManager takes a State and says what changes:
//
//	res, err := manager.ProcessHandoff(ctx, command, &s)
//	if !res.Accepted {
//		fmt.Println(res.RejectionReason)
//	}
//	s = s.With(res.UpdatedState)
//
// Or commands travel as tool executions, made by NewToolExecution: RouteHandoffs
// tells whether there is one to process, ProcessHandoffs does it. Each is
// processed once.
//
// # Kinds of handoffs
//
//	plan step          PlanStepHandoff        the plan; next_step makes it
//	capability match   CapabilityHandoff      an agent that lacks a capability; control returns
//	user request       ProcessUserAgentSelection, Team.Select
//	error recovery     ErrorRecoveryHandoff   an agent; of one that crashes the engine makes it
//	clarification      ClarificationHandoff   an agent that needs to know more; control returns
//
// # What is checked
//
// In this order, and the first failure speaks: the target exists; it is another
// agent; it is no system agent, unless the source is the supervisor; it was not
// the target of two of the last five handoffs; it has the capability that
// payload.requiredCapability names. Returns are no handoffs and do not count. A
// run makes at most 50 handoffs: the loop rule alone lets three agents go round
// for ever.
//
// A rejected handoff changes nothing but this: the supervisor becomes active,
// and a message says why. Users are not bound by the rules about system agents,
// loops and capabilities; the agent must exist and be selectable.
package prd040
