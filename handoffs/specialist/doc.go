// Package specialist is the preset for a generalist with specialists: the
// generalist talks with the user, hands parts of the work to agents that do
// nothing else, gets their results, and puts them together. Everything is decided
// by package handoffs; here are the names, texts and defaults.
//
//	router := specialist.NewRouter(nil)
//	err := router.RegisterAgent(specialist.AgentCapabilityProfile{
//		AgentID: "test-specialist", AgentName: "Test Specialist", Specialization: "testing", AcceptsHandoffs: true,
//	})
//	service, err := specialist.NewHandoffService(specialist.Config{Router: router, Run: run})
//	handler := specialist.Handler{Service: service}
//
// The generalist's model gets the tool that Router.Tool describes, and Guidance
// in its system prompt; what it calls the tool with goes to Handler.Handle. A
// specialist works in a conversation of its own, "handoff-" and the handoff's id,
// begins with a brief instead of the conversation, and has 15 iterations. It may
// have the tool itself: calls are nested three deep at most. New specialists need
// nothing but RegisterAgent.
//
// Who gets a handoff for a capability is the first one registered that has all
// that is required; Config.Policy may have another handoffs.Router, which looks at
// load or cost. In a graph give Policy to a handoffs.Team: specialists are nodes,
// and a handoff is a command of the kind handoffs.Call.
//
// # When to use what
//
//	                 handoff                  workflow                 agent as a tool
//	who decides      the agent, at run time   who wrote the graph      the agent, at run time
//	when             when it meets a limit    before the run           at any call
//	context          a brief, made for it     the graph's state        the call's input alone
//	way back         the result returns       edges lead on            the result returns
//	specialization   high                     by step                  low
//	flexibility      high                     low                      medium
//	continuity       the generalist keeps     the state keeps          none
//	                 the conversation         everything
//
// Take a handoff where the need shows only during the work; a workflow (package
// graph) where the order is known; both where one step of a known order needs a
// specialist now and then: the step's node hands over inside, and the step is done
// when the node returns. Take an agent as a tool (AsTool) for small questions that
// need no context and no record. Let an event begin a handoff (handoffs.Trigger)
// where no user is there to ask, for a security alert say.
package specialist
