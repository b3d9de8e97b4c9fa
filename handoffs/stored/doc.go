// Package stored is the preset for agents that hand a whole conversation to one
// another, and of which every handoff is stored: who, whom, why, what the user
// wants, and what was said until then. Everything is decided by package
// handoffs; here are the names, texts and defaults.
//
//	s, err := stored.New(stored.Config{
//		Agents: []handoffs.Profile{{ID: "dojo"}, {ID: "librarian"}, {ID: "debugger"}},
//		Invoke: invoke, // lets an agent work
//		Store:  store,  // a file of package checkpoint/sqlite, say
//	})
//	err = s.ExecuteHandoff(ctx, stored.HandoffContext{
//		FromAgent: "dojo", ToAgent: "librarian", SessionID: "s1",
//		Reason: "search project memory", UserIntent: "find the old decision", ConversationHistory: history,
//	})
//
// # What a handoff does
//
// ExecuteHandoff validates, stores, tells the trace, and invokes the target, in
// this order: what cannot be stored is not begun. It returns when the target
// has, with a *HandoffError if anything went wrong. A target may hand on by
// another ExecuteHandoff while it works, so that dojo, librarian, debugger and
// dojo again make a chain in one session; going to and fro is usual and no loop.
// A session makes at most 20 handoffs, if Config.Policy says nothing else.
//
// Who hands over is who says so: the agents are programs of their own. Work that
// was begun elsewhere in the session and not ended counts as cancelled then.
//
// # What is stored
//
// A session is a thread of the store. Its log says how each handoff went on:
// running while the target works, completed behind that, failed if the
// invocation did. Stores with tables have a row for each in agent_handoffs, with
// indexes for a session's history and for its counts.
//
// What was said is stored once, each message under a hash of it and of what came
// before; a handoff refers to the last one. Secrets are taken out before that
// and before anything else is stored; the target gets the conversation as it is.
// Nobody who asks for one session sees another one's.
package stored
