// Package nodes holds the nodes of graphs that work with models, tools and
// people.
//
// An Agent is a model with instructions and tools. It asks the model, runs the
// tools that it calls, and asks again, until it answers, or hands over to another
// agent:
//
//	weather, err := nodes.NewTool("weather", "The weather of a city.",
//		func(ctx context.Context, in struct{ City string }) (string, error) { … })
//	agent, err := nodes.NewAgent(nodes.AgentConfig[State]{
//		Model:        m, // see package model
//		Instructions: "Answer questions about the weather.",
//		Messages:     nodes.Talk(Messages, func(s *State) *[]state.Message { return &s.Messages }),
//		Tools:        []nodes.Tool{weather},
//	})
//	b.AddNode("agent", agent.Node, nil)
//
// # What is kept
//
// Each call of a model or tool is stored with the task when it is done. After a
// crash, an answer to a question or a failure elsewhere in the step it is not done
// again: nobody pays twice. A process that is killed between the end of a call and
// the storing makes the call again; a tool whose effect must not happen twice
// even then takes the call's id as idempotency key (CallOf).
//
// # What a model is sent
//
// The state keeps the conversation as it was. The model is sent a projection
// that its provider takes (package transcript): each call has one result, what
// other agents said is told as theirs. Memory bounds its size.
//
// # Failures
//
// What a tool fails with, panics included, is told the model, unless the tool is
// Strict. Arguments that do not fit the tool's schema, tools that there are not,
// and handoffs with wrong arguments are told too. Limits bound how long that goes
// on: an *Exceeded is a graph.ErrLimit. A model that fails fails the turn by a
// *model.Error; put a model.Retry around it.
//
// # In a team
//
// In a team of package handoffs the model hands over by a tool whose target is one
// of the agents that it may hand to now, and what comes of it is the team's to
// decide. Tools that it calls in the same answer are run first. NewTeam makes a
// team; NewSupervisor and NewSwarm make the two usual ones.
//
// # Streaming
//
// Pieces of answers come as events of the run while they are made: a MessageEvent
// has the type "messages" in the JSON lines. ToolEvent tells of tools at work.
package nodes
