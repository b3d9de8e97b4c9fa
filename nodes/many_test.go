package nodes_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
)

// crowd is a server and an agent that many threads talk to at once.
type crowd struct {
	srv   *llmstub.Server
	http  *http.Transport
	graph *graph.Graph[labChat]
}

func newCrowd(t *testing.T) *crowd {
	srv := llmstub.New(&llmstub.Script{Keep: -1, Replies: []llmstub.Reply{
		{When: llmstub.Match{Last: "Go."}, Times: -1, Text: "I look.", Calls: []llmstub.Call{{Name: "look", Args: `{"n":1}`}, {Name: "look", Args: `{"n":2}`}}, Usage: llmstub.Usage{Input: 10, Output: 5}},
		{When: llmstub.Match{Last: "seen"}, Times: -1, Text: "done", Usage: llmstub.Usage{Input: 20, Output: 5}},
	}})
	t.Cleanup(srv.Close)
	tr := &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64}
	m, err := openai.New(openai.Config{Name: "m", Key: "sk-test", BaseURL: srv.URL() + "/v1", HTTP: &http.Client{Transport: tr}})
	require.NoError(t, err)
	g := labAgent(t, nodes.AgentConfig[labChat]{
		Model: model.Retry{Model: model.Limit{Model: m, Limiter: model.NewLimiter(model.LimiterConfig{Concurrent: 200})}},
		Tools: []nodes.Tool{labFixed("look", "seen")},
	}, nil)
	return &crowd{srv: srv, http: tr, graph: g}
}

// talk lets n threads run at once, each to its end.
func (c *crowd) talk(t *testing.T, n int) {
	var wg sync.WaitGroup
	failed := make(chan error, n)
	for i := range n {
		wg.Go(func() {
			res, err := c.graph.Invoke(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: fmt.Sprint(i)})
			if err == nil && (len(res.State.Messages) != 5 || res.State.Tokens != 40) {
				err = fmt.Errorf("thread %d: %d tokens\n%s", i, res.State.Tokens, labLines(res.State.Messages))
			}
			if err != nil {
				failed <- err
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
}

// settled is a number once it is no more than most, or what it stays at.
func settled(most int, of func() int) int {
	n := of()
	for range 500 {
		if n = of(); n <= most {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return n
}

// heap is what is in use behind a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A thousand threads at once over real sockets leave no goroutine and no
// connection, and two thousand more leave no memory.
func TestManyThreadsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it is long")
	}
	before := runtime.NumGoroutine() + 1 // the server's own
	c := newCrowd(t)
	c.talk(t, 1000)
	c.http.CloseIdleConnections()
	require.Zero(t, settled(0, c.srv.Busy))
	require.LessOrEqual(t, settled(before, runtime.NumGoroutine), before)
	small := heap()

	c.talk(t, 2000)
	c.http.CloseIdleConnections()
	require.LessOrEqual(t, settled(before, runtime.NumGoroutine), before)
	require.Less(t, heap(), small+(4<<20), "memory is flat")
}

// Threads that are cancelled in the middle leave nothing either.
func TestManyCancelledThreads(t *testing.T) {
	srv := llmstub.New(&llmstub.Script{Keep: -1, Replies: []llmstub.Reply{{Times: -1, Text: "never", Fault: llmstub.Fault{Hang: true}}}})
	defer srv.Close()
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	m, err := openai.New(openai.Config{Name: "m", Key: "sk-test", BaseURL: srv.URL() + "/v1", HTTP: &http.Client{Transport: tr}})
	require.NoError(t, err)
	g := labAgent(t, nodes.AgentConfig[labChat]{Model: m}, nil)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			_, err := g.Invoke(ctx, labHuman("Go."), &graph.RunConfig{Thread: fmt.Sprint(i)})
			if err == nil {
				t.Error("it was cancelled")
			}
		})
	}
	busy := -settled(-100, func() int { return -srv.Busy() })
	cancel()
	wg.Wait()
	require.Equal(t, 100, busy, "all were at work")
	tr.CloseIdleConnections()
	require.Zero(t, settled(0, srv.Busy))
	require.LessOrEqual(t, settled(before, runtime.NumGoroutine), before)
}
