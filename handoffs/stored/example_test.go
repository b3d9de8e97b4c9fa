package stored_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/stored"
)

// school are the agents of the examples and tests.
var school = []handoffs.Profile{{ID: "dojo"}, {ID: "librarian"}, {ID: "debugger"}, {ID: "gone", Unavailable: true}}

// noon is a clock that stands still.
func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// quiet is a trace that keeps nothing.
type quiet struct{}

func (quiet) Log(context.Context, handoffs.TraceEvent) error { return nil }

// nothing is what an agent does that has nothing to do.
func nothing(context.Context, string, stored.AgentInvocationContext) error { return nil }

func Example() {
	ctx := context.Background()
	invoke := func(_ context.Context, agent string, in stored.AgentInvocationContext) error {
		fmt.Printf("%s works for %s: %s, behind %d messages\n", agent, in.FromAgent, in.UserIntent, len(in.ConversationHistory))
		return nil
	}
	s, err := stored.New(stored.Config{Agents: school, Invoke: invoke, Trace: quiet{}, Clock: noon})
	if err != nil {
		panic(err)
	}
	talk := []stored.Message{{Role: "user", Content: "What did we decide about the cache?", Timestamp: noon()}}
	there := stored.HandoffContext{
		FromAgent: "dojo", ToAgent: "librarian", SessionID: "s1",
		Reason: "search project memory", UserIntent: "find the old decision", ConversationHistory: talk,
	}
	if err := s.ExecuteHandoff(ctx, there); err != nil {
		panic(err)
	}
	back := there
	back.FromAgent, back.ToAgent, back.Reason = "librarian", "dojo", "continue with results"
	back.ConversationHistory = append(talk, stored.Message{Role: "assistant", AgentID: "librarian", Content: "No cache, in March.", Timestamp: noon()})
	if err := s.ExecuteHandoff(ctx, back); err != nil {
		panic(err)
	}

	history, err := s.GetHandoffHistory(ctx, "s1")
	if err != nil {
		panic(err)
	}
	for _, h := range history {
		said, err := s.Conversation(ctx, "s1", h.Snapshot)
		if err != nil {
			panic(err)
		}
		fmt.Println(h.FromAgent, h.ToAgent, h.Reason, h.Status, len(said))
	}
	wrong := there
	wrong.ToAgent = "dojo"
	err = s.ExecuteHandoff(ctx, wrong)
	fmt.Println(err, errors.Is(err, handoffs.CodeSelf))
	// Output:
	// librarian works for dojo: find the old decision, behind 1 messages
	// dojo works for librarian: find the old decision, behind 2 messages
	// dojo librarian search project memory completed 1
	// librarian dojo continue with results completed 2
	// HANDOFF_ERROR dojo->dojo: to_agent must differ from from_agent true
}
