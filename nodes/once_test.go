package nodes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

var errLab = errors.New("injected failure")

// labWork is an agent's work of several rounds, whose calls of the model and of
// tools are counted.
type labWork struct {
	t     *testing.T
	model *labModel
	mu    sync.Mutex
	tools map[string]int
	began int    // calls of model and tools that began
	fail  int    // the call that fails; 0: none
	how   func() // called when it is to fail, instead of an error
}

func newLabWork(t *testing.T) *labWork {
	w := &labWork{t: t, tools: map[string]int{}}
	w.model = labRounds(t,
		labCalls(labCall("", "a", "{}"), labCall("x", "b", "{}")),
		labCalls(labCall("x", "a", "{}"), labCall("x", "b", "{}"), labCall("", "c", "{}")),
		labSay("done"))
	answer := w.model.answer
	w.model.answer = func(ctx context.Context, r *model.Request) (*model.Response, error) {
		if err := w.step(); err != nil {
			return nil, err
		}
		return answer(ctx, r)
	}
	return w
}

// step counts a call, and lets the one that is to fail do so.
func (w *labWork) step() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began++
	if w.began != w.fail {
		return nil
	}
	if w.how != nil {
		w.how()
		return nil
	}
	return errLab
}

func (w *labWork) config() nodes.AgentConfig[labChat] {
	var tools []nodes.Tool
	for _, name := range []string{"a", "b", "c"} {
		tool := labTool(name, func(ctx context.Context) (string, error) {
			if err := w.step(); err != nil {
				return "", err
			}
			call, _ := nodes.CallOf(ctx)
			w.mu.Lock()
			w.tools[call.ID]++
			w.mu.Unlock()
			return name + " of " + call.ID, nil
		})
		tool.Strict = true
		tools = append(tools, tool)
	}
	return nodes.AgentConfig[labChat]{Model: w.model, Tools: tools, Parallel: 1}
}

// undisturbed is the state that the work comes to, and how many calls it makes.
func undisturbed(t *testing.T) ([]byte, int) {
	w := newLabWork(t)
	g := labAgent(t, w.config(), &graph.Config{Store: labStore()})
	res, err := g.Invoke(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	labPaired(t, res.State.Messages)
	require.Equal(t, 3*15, res.State.Tokens)
	require.Equal(t, 3, res.State.Calls)
	return must(json.Marshal(res.State)), w.began
}

// stores are what durability is proved on.
var labStores = map[string]func(t *testing.T) checkpoint.Store{
	"memory": func(*testing.T) checkpoint.Store { return labStore() },
	"sqlite": func(t *testing.T) checkpoint.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	},
}

// A failure at any call of the model or of a tool: the second run makes the
// calls that were not made, and no other, and comes to the same state.
func TestFailureAtEachCall(t *testing.T) {
	want, calls := undisturbed(t)
	require.Equal(t, 8, calls)
	for name, open := range labStores {
		for k := 1; k <= calls; k++ {
			t.Run(fmt.Sprintf("%s %d", name, k), func(t *testing.T) {
				w := newLabWork(t)
				w.fail = k
				cfg := &graph.RunConfig{Thread: "t"}
				store := open(t)
				_, err := labAgent(t, w.config(), &graph.Config{Store: store}).Invoke(t.Context(), labHuman("Go."), cfg)
				require.ErrorIs(t, err, errLab)
				res, err := labAgent(t, w.config(), &graph.Config{Store: store}).Resume(t.Context(), graph.Answers{}, cfg)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(must(json.Marshal(res.State))))
				require.Equal(t, calls+1, w.began, "the one that failed is made again")
				w.onceEach()
			})
		}
	}
}

// onceEach requires that nothing succeeded twice.
func (w *labWork) onceEach() {
	for id, n := range w.tools {
		require.Equal(w.t, 1, n, "tool call %s", id)
	}
	require.Len(w.t, w.tools, 5)
}

// A process that dies while the k-th call is at work: the next one makes this
// call again, and none of those before it.
func TestCancelAtEachCall(t *testing.T) {
	want, calls := undisturbed(t)
	for k := 1; k <= calls; k++ {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			w := newLabWork(t)
			ctx, cancel := context.WithCancel(t.Context())
			w.fail, w.how = k, cancel
			store, cfg := labStores["sqlite"](t), &graph.RunConfig{Thread: "t"}
			_, err := labAgent(t, w.config(), &graph.Config{Store: store}).Invoke(ctx, labHuman("Go."), cfg)
			if err == nil { // it was the last call
				require.Equal(t, calls, k)
			} else {
				require.ErrorIs(t, err, graph.ErrCancelled)
				res, err := labAgent(t, w.config(), &graph.Config{Store: store}).Resume(t.Context(), graph.Answers{}, cfg)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(must(json.Marshal(res.State))))
			}
			require.LessOrEqual(t, w.began, calls+1)
			for hash, n := range w.model.times {
				require.LessOrEqual(t, n, 2, hash)
			}
		})
	}
}

// A store that fails at any of its calls, before or after it was carried out: at
// most the call whose result was not stored is made again.
func TestStoreFailureAtEachCall(t *testing.T) {
	want, calls := undisturbed(t)
	for _, after := range []bool{false, true} {
		for k := 1; ; k++ {
			w := newLabWork(t)
			store := labStore()
			failing := checkpointtest.NewFailing(store)
			failing.FailAt(k, errLab, after)
			cfg := &graph.RunConfig{Thread: "t"}
			_, err := labAgent(t, w.config(), &graph.Config{Store: failing}).Invoke(t.Context(), labHuman("Go."), cfg)
			if failing.Count() < k {
				require.NoError(t, err)
				break
			}
			g := labAgent(t, w.config(), &graph.Config{Store: store})
			snap, err := g.State(t.Context(), "t", "")
			switch {
			case err != nil || snap == nil || len(snap.Values.Messages) == 0: // it had not begun
				_, err = g.Invoke(t.Context(), labHuman("Go."), cfg)
				require.NoError(t, err)
			case len(snap.Next) > 0:
				_, err = g.Resume(t.Context(), graph.Answers{}, cfg)
				require.NoError(t, err)
			}
			snap, err = g.State(t.Context(), "t", "")
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(must(json.Marshal(snap.Values))), "call %d of the store", k)
			require.LessOrEqual(t, w.began, calls+1, "call %d of the store", k)
		}
	}
}

// A question of a tool beside others: these run once, and the answer may come in
// another process.
func TestQuestionOfAToolBesideOthers(t *testing.T) {
	t.Parallel()
	for name, storeOf := range labStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := storeOf(t)
			ran := map[string]int{}
			var mu sync.Mutex
			note := func(name string) {
				mu.Lock()
				defer mu.Unlock()
				ran[name]++
			}
			m := labRounds(t, labCalls(labCall("1", "plain", "{}"), labCall("2", "ask", "{}"), labCall("3", "ask", "{}"), labCall("4", "plain", "{}")), labSay("done"))
			open := func() *graph.Graph[labChat] {
				return labAgent(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{
					labTool("plain", func(context.Context) (string, error) { note("plain"); return "ok", nil }),
					labTool("ask", func(ctx context.Context) (string, error) {
						call, _ := nodes.CallOf(ctx)
						answer, err := graph.Interrupt[string](ctx, "ask:"+call.ID, "Which, "+call.ID+"?")
						if err == nil {
							note("ask")
						}
						return answer, err
					}),
				}}, &graph.Config{Store: store})
			}
			cfg := &graph.RunConfig{Thread: "t"}
			res, err := open().Invoke(t.Context(), labHuman("Go."), cfg)
			require.ErrorIs(t, err, graph.ErrInterrupted)
			require.Equal(t, graph.OutcomeInterrupted, res.Outcome)
			require.Len(t, res.Interrupts, 2)
			for i, q := range res.Interrupts {
				res, err = open().Resume(t.Context(), graph.AnswerByID(map[string]any{q.ID: fmt.Sprint("answer to ", q.Value)}), cfg)
				require.Equal(t, i == 1, err == nil)
				require.Equal(t, i == 1, res.Outcome == graph.OutcomeDone)
			}
			require.Equal(t, []string{"ok", "answer to Which, 2?", "answer to Which, 3?", "ok"}, labResults(res.State.Messages))
			require.Equal(t, map[string]int{"plain": 2, "ask": 2}, ran)
			require.Len(t, m.requests(), 2)
			require.Equal(t, 30, res.State.Tokens)
			labPaired(t, res.State.Messages)
		})
	}
}

// An error beside a question counts for more.
func TestFailureBesideAQuestion(t *testing.T) {
	t.Parallel()
	strict := labTool("strict", func(context.Context) (string, error) { return "", errLab })
	strict.Strict = true
	ask := labTool("ask", func(ctx context.Context) (string, error) { return graph.Interrupt[string](ctx, "ask", "?") })
	g := labAgent(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{ask, strict}, Parallel: 1,
		Model: labRounds(t, labCalls(labCall("1", "ask", "{}"), labCall("2", "strict", "{}")))}, &graph.Config{Store: labStore()})
	_, err := g.Invoke(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"})
	require.ErrorIs(t, err, errLab)
}

// Ids that are empty, used twice, or used in an earlier turn become others.
func TestIDsOfCallsAreUnique(t *testing.T) {
	t.Parallel()
	twice := func() []model.Response {
		return []model.Response{
			labCalls(labCall("look", "look", "{}"), labCall("look", "look", "{}"), labCall("", "look", "{}"), labCall(" ", "look", "{}")),
			labCalls(labCall("look", "look", "{}"), labCall("", "look", "{}")), labSay("done"),
		}
	}
	m := labScript(t, append(twice(), twice()...)...)
	g := labAgent(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{labFixed("look", "seen")}}, &graph.Config{Store: labStore()})
	var res graph.Result[labChat]
	for range 2 {
		var err error
		res, err = g.Invoke(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
	}
	require.Len(t, labResults(res.State.Messages), 12)
	require.Equal(t, "look", res.State.Messages[1].ToolCalls[0].ID, "the first one may keep it")
	labPaired(t, res.State.Messages)
	require.Equal(t, state.RoleAI, res.State.Messages[len(res.State.Messages)-1].Role)
}
