// Package specialist is the preset for a generalist that talks to the user and
// asks specialists for help by a tool: handoff_to_specialist. Everything is
// decided by package handoffs; here are the names, texts and defaults.
//
//	router := &specialist.Router{Ask: model}
//	err := router.RegisterAgent(specialist.AgentCapabilityProfile{
//		AgentID: "test-specialist", AgentName: "Test Specialist", Specialization: "testing", AcceptsHandoffs: true,
//	})
//	service, err := specialist.NewHandoffService(specialist.Config{Router: router, Run: run})
//	prompt += router.PromptGuidance()
//	tools = append(tools, specialist.ToolDefinition()) // calls go to service.HandleTool
//
// # What a handoff does
//
// A handoff is a call: the generalist waits, gets the specialist's answer as the
// tool's result, and goes on. The user's conversation stays the generalist's.
// The specialist gets a conversation of its own, "handoff-" and the handoff's
// id, that begins with a brief: the request, why, the task, what was done, the
// last five messages. It may ask specialists itself, under that conversation.
//
// Of every conversation that the generalist has there is one desk with its log,
// kept in memory by the service; the handoffs of specialists are decided on it
// too, so that limits and depth hold for all of the work. Handoffs of one
// conversation are made one behind the other, also where a model calls the tool
// several times in a turn. A conversation makes at most 20 handoffs, three calls
// deep, if Config says nothing else; what fails counts as well.
//
// A failure is a result, never the end of a run: the model is told that nobody
// was found, or "Handoff to X failed: …", and does the task itself or asks.
//
// # Handoff, workflow, event
//
// A handoff is right where only the one at work can see that it needs help, and
// goes on with the answer: who decides is the agent, at run time. A workflow, a
// graph with edges, is right where the steps are known before: tests, then
// build, then deployment, the same each time; who decides is whoever drew it.
// Where nobody waits for an answer, and agents should come and go without
// knowing one another, let events decide: handoffs.Triggers begin work when a
// message comes over a bus. They go together: a node of a workflow may be an
// agent that hands over, and an event may begin a workflow. To let a model use
// an agent just as a function, with arguments and no conversation behind, a
// plain tool will do.
//
// In a graph, use Policy with a handoffs.Team: there, desks are part of the
// state, and survive the process.
package specialist
