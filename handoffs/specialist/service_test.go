package specialist_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/state"
)

// floor is a service, and what its specialists were run with.
type floor struct {
	*testing.T
	*specialist.HandoffService
	mu   sync.Mutex
	runs []specialist.AgentRun
}

func newFloor(t *testing.T, cfg specialist.Config) *floor {
	f := &floor{T: t}
	if cfg.Router == nil {
		cfg.Router = newRouter()
	}
	if cfg.Clock == nil {
		cfg.Clock = noon
	}
	run := cfg.Run
	cfg.Run = func(ctx context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
		f.mu.Lock()
		f.runs = append(f.runs, r)
		f.mu.Unlock()
		if run == nil {
			return specialist.AgentResult{Response: "done", Iterations: 3}, nil
		}
		return run(ctx, r)
	}
	var err error
	f.HandoffService, err = specialist.NewHandoffService(cfg)
	require.NoError(t, err)
	return f
}

// ask is a request in conversation c1.
func ask(from, to string) specialist.HandoffRequest {
	return specialist.HandoffRequest{FromAgentID: from, ToAgentID: to, Reason: "it is theirs", Task: "do it", ConversationID: "c1"}
}

// log tells the handoffs of a conversation, each with its status and code.
func (f *floor) log(conversation string) (out []string) {
	f.Helper()
	log, err := f.Log(f.Context(), conversation)
	require.NoError(f, err)
	for h := range handoffs.History(log, handoffs.Filter{}) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s>%s %s %s", h.From, h.To, h.Status, h.Code)))
	}
	return out
}

// S4-03, S4-04, S4-06, S4-18, S4-19, S4-20, S4-42.
func TestS4_18_19_20_ExecuteHandoff(t *testing.T) {
	f := newFloor(t, specialist.Config{})
	r := ask("generalist", "deploy-specialist")
	r.Context = specialist.HandoffContext{OriginalRequest: "ship it", UserID: "ann", ConversationHistory: []state.Message{state.Text(state.RoleHuman, "ship it")}}
	got := f.ExecuteHandoff(t.Context(), r)
	require.NotEmpty(t, got.HandoffID)
	require.Equal(t, specialist.HandoffResult{
		HandoffID: got.HandoffID, AgentID: "deploy-specialist", AgentName: "Deploy Specialist", Success: true,
		Result: "done", Iterations: 3, ConversationSummary: "3 iterations without tool calls",
	}, got)
	run := f.runs[0]
	require.Equal(t, "handoff-"+got.HandoffID, run.ConversationID)
	require.Equal(t, "ann", run.UserID)
	require.Equal(t, 15, run.MaxIterations)
	require.Empty(t, run.ConversationHistory)
	require.Equal(t, shop[1], run.Agent)

	r.MaxIterations = 4
	f.ExecuteHandoff(t.Context(), r)
	require.Equal(t, 4, f.runs[1].MaxIterations)
	history := f.GetHandoffHistory("c1")
	require.Len(t, history, 2)
	require.Equal(t, got.HandoffID, history[0].ID)
	require.Equal(t, noon(), history[0].Timestamp)
	require.NotEqual(t, history[0].ID, history[1].ID)
	require.Nil(t, f.GetHandoffHistory("c2"))
	require.Equal(t, []string{"generalist>deploy-specialist returned", "generalist>deploy-specialist returned"}, f.log("c1"))
}

func TestS4_19_HistoryIsThereBeforeTheRun(t *testing.T) {
	var f *floor
	seen := 0
	f = newFloor(t, specialist.Config{Run: func(context.Context, specialist.AgentRun) (specialist.AgentResult, error) {
		seen = len(f.GetHandoffHistory("c1"))
		return specialist.AgentResult{}, nil
	}})
	f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
	require.Equal(t, 1, seen)
}

// S4-18, S4-39, X-43: the failure path runs, and the next handoff works.
func TestS4_18_39_Failure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, fail := specialist.AgentResult{}, errors.New("no shell")
		f := newFloor(t, specialist.Config{Clock: time.Now, Run: func(context.Context, specialist.AgentRun) (specialist.AgentResult, error) {
			time.Sleep(2 * time.Second)
			return result, fail
		}})
		got := f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
		require.Equal(t, specialist.HandoffResult{
			HandoffID: got.HandoffID, AgentID: "test-specialist", AgentName: "Test Specialist",
			Duration: 2 * time.Second, Error: "no shell", Code: handoffs.CodeFailed,
		}, got)
		result, fail = specialist.AgentResult{Response: "half", Iterations: 15}, errors.New("15 iterations are used up")
		got = f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
		require.False(t, got.Success)
		require.Equal(t, 15, got.Iterations)
		require.Empty(t, got.Result)
		fail = nil
		require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Success)
		require.Equal(t, []string{
			"generalist>test-specialist failed", "generalist>test-specialist failed", "generalist>test-specialist returned",
		}, f.log("c1"))
	})
}

func TestS4_39_Panic(t *testing.T) {
	broken := true
	f := newFloor(t, specialist.Config{Run: func(context.Context, specialist.AgentRun) (specialist.AgentResult, error) {
		if broken {
			panic("no such file")
		}
		return specialist.AgentResult{}, nil
	}})
	require.Equal(t, "the specialist panicked: no such file", f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Error)
	broken = false
	require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Success)
}

func TestS4_18_RequestsThatAreRejected(t *testing.T) {
	f := newFloor(t, specialist.Config{})
	tests := []struct {
		change func(*specialist.HandoffRequest)
		code   handoffs.Code
		text   string
	}{
		{func(r *specialist.HandoffRequest) { r.ToAgentID = "nobody" }, handoffs.CodeNotFound, "No specialist named 'nobody'"},
		{func(r *specialist.HandoffRequest) { r.ToAgentID = "archivist" }, handoffs.CodeAccepts, "archivist"},
		{func(r *specialist.HandoffRequest) { r.Context.RequiredCapabilities = []string{"git"} }, handoffs.CodeCapability, "git"},
		{func(r *specialist.HandoffRequest) { r.FromAgentID = "test-specialist" }, handoffs.CodeSelf, ""},
		{func(r *specialist.HandoffRequest) { r.FromAgentID = "stranger" }, "", `agent "stranger" is not registered`},
		{func(r *specialist.HandoffRequest) { r.ConversationID = " " }, "", "needs a conversationId"},
		{func(r *specialist.HandoffRequest) { r.Context.CompletedWork = map[string]any{"x": make(chan int)} }, "", "x"},
	}
	for _, tt := range tests {
		r := ask("generalist", "test-specialist")
		tt.change(&r)
		got := f.ExecuteHandoff(t.Context(), r)
		require.False(t, got.Success)
		require.Equal(t, tt.code, got.Code, got.Error)
		require.Contains(t, got.Error, tt.text)
		require.Zero(t, got.Iterations)
	}
	require.Empty(t, f.runs)
	require.Empty(t, f.GetHandoffHistory("c1"))
	require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Success)
}

// Specialists that ask one another are on the desk of the user's conversation.
func TestS4_33_DepthAndLimitsHoldForAllTheWork(t *testing.T) {
	for _, tt := range []struct {
		cfg  specialist.Config
		runs int
		code handoffs.Code
	}{
		{specialist.Config{}, 3, handoffs.CodeDepth},
		{specialist.Config{Depth: 1}, 1, handoffs.CodeDepth},
		{specialist.Config{Depth: -1, Limits: handoffs.Limits{Handoffs: 5}}, 5, handoffs.CodeLimit},
	} {
		var f *floor
		var deepest specialist.HandoffResult
		tt.cfg.Run = func(ctx context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
			to := map[string]string{"test-specialist": "deploy-specialist", "deploy-specialist": "test-specialist"}[r.Agent.AgentID]
			again := ask(r.Agent.AgentID, to)
			again.ConversationID = r.ConversationID
			if got := f.ExecuteHandoff(ctx, again); !got.Success {
				deepest = got
			}
			return specialist.AgentResult{Response: "ok", Iterations: 1}, nil
		}
		f = newFloor(t, tt.cfg)
		require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Success)
		require.Len(t, f.runs, tt.runs)
		require.Equal(t, tt.code, deepest.Code)
		require.Len(t, f.log("c1"), tt.runs+1)
		require.Len(t, f.GetHandoffHistory("c1"), 1)
		require.Empty(t, f.log(f.runs[0].ConversationID))
	}
}

func TestS4_20_ConversationsOfSpecialists(t *testing.T) {
	var f *floor
	var texts []string
	f = newFloor(t, specialist.Config{Run: func(ctx context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
		for _, c := range []specialist.HandoffRequest{ask("test-specialist", "deploy-specialist"), ask("deploy-specialist", "test-specialist")} {
			if c.FromAgentID != r.Agent.AgentID {
				c.ConversationID = r.ConversationID
			}
			texts = append(texts, f.ExecuteHandoff(ctx, c).Error)
		}
		return specialist.AgentResult{}, nil
	}})
	f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
	require.Contains(t, texts[0], "waits for this very run")
	require.Contains(t, texts[1], `is that of "test-specialist"`)
	late := ask("test-specialist", "deploy-specialist")
	late.ConversationID = f.runs[0].ConversationID
	require.Contains(t, f.ExecuteHandoff(t.Context(), late).Error, "has ended")
}

func TestS4_18_HandoffsOfAConversationWaitForOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var most, now int
		f := newFloor(t, specialist.Config{Run: func(context.Context, specialist.AgentRun) (specialist.AgentResult, error) {
			now++
			most = max(most, now)
			time.Sleep(time.Second)
			now--
			return specialist.AgentResult{}, nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		results := make([]specialist.HandoffResult, 5)
		for i := range results {
			all.Go(func() { results[i] = f.ExecuteHandoff(ctx, ask("generalist", "test-specialist")) })
		}
		all.Wait()
		require.Equal(t, 1, most)
		good := 0
		for _, r := range results {
			if r.Success {
				good++
			} else {
				require.Equal(t, context.DeadlineExceeded.Error(), r.Error)
			}
		}
		require.Equal(t, 4, good)
	})
}

// A specialist that ends before what it asked for cancels it; nobody is left
// waiting.
func TestS4_18_SpecialistEndsBeforeItsOwnHandoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *floor
		inner := make(chan specialist.HandoffResult, 1)
		f = newFloor(t, specialist.Config{Run: func(ctx context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
			if r.Agent.AgentID == "deploy-specialist" {
				<-ctx.Done()
				return specialist.AgentResult{}, ctx.Err()
			}
			own := ask("test-specialist", "deploy-specialist")
			own.ConversationID = r.ConversationID
			go func() { inner <- f.ExecuteHandoff(ctx, own) }()
			synctest.Wait()
			return specialist.AgentResult{Response: "early"}, nil
		}})
		got := f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
		require.True(t, got.Success, got.Error)
		require.Equal(t, context.Canceled.Error(), (<-inner).Error)
		require.Equal(t, []string{"generalist>test-specialist returned", "test-specialist>deploy-specialist failed"}, f.log("c1"))
		require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist")).Success)
		<-inner
	})
}

func TestS4_29_AgentsAreAddedWhileItRuns(t *testing.T) {
	r := newRouter()
	f := newFloor(t, specialist.Config{Router: r})
	require.False(t, f.ExecuteHandoff(t.Context(), ask("generalist", "painter")).Success)
	require.NoError(t, r.RegisterAgent(specialist.AgentCapabilityProfile{AgentID: "painter", AcceptsHandoffs: true}))
	require.True(t, f.ExecuteHandoff(t.Context(), ask("generalist", "painter")).Success)
	require.Equal(t, []string{"generalist>painter rejected not_found", "generalist>painter returned"}, f.log("c1"))
}

func TestS4_24_Logs(t *testing.T) {
	var out bytes.Buffer
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.MessageKey {
			return a
		}
		return slog.Attr{}
	}
	l := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: plain}))
	r := &specialist.Router{Logger: l}
	require.NoError(t, r.RegisterAgent(shop[0]))
	f := newFloor(t, specialist.Config{Router: r, Logger: l})
	f.ExecuteHandoff(t.Context(), ask("generalist", "test-specialist"))
	f.ExecuteHandoff(t.Context(), ask("generalist", "nobody"))
	require.Equal(t, `msg="registering agent"
msg="initiating handoff"
msg="executing handoff"
msg="handoff completed"
msg="initiating handoff"
msg="handoff failed"
`, out.String())
}

func TestServiceTellsWhatIsWrong(t *testing.T) {
	_, err := specialist.NewHandoffService(specialist.Config{})
	require.ErrorContains(t, err, "Router is nil")
	require.ErrorContains(t, err, "Run is nil")
}
