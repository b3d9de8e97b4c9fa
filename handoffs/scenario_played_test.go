package handoffs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/state"
)

// played is a thread of a graph file. Every run and resume reads the file anew,
// as another process would.
type played struct {
	*testing.T
	text  []byte
	store checkpoint.Store
	last  graph.Result[state.Record]
}

// play begins to play a file, with some of its texts replaced.
func play(t *testing.T, file string, replace ...string) *played {
	data, err := os.ReadFile("../testdata/handoffs/" + file)
	require.NoError(t, err)
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, string(data), replace[i])
	}
	return &played{T: t, text: []byte(strings.NewReplacer(replace...).Replace(string(data))), store: checkpoint.NewMemory(nil)}
}

func (p *played) file() *graphfile.File {
	f, err := graphfile.Parse("played.yaml", p.text, nil)
	require.NoError(p, err)
	return f
}

// run runs the file on an input until the run ends or is paused.
func (p *played) run(input string, stops ...string) *played {
	f := p.file()
	in, err := f.Input([]byte(input))
	require.NoError(p, err)
	p.last, err = f.Graph().On(p.store, nil).Invoke(p.Context(), in, &graph.RunConfig{Thread: "x", InterruptBefore: stops})
	return p.paused(err)
}

// resume goes on in another process.
func (p *played) resume(a graph.Answers, stops ...string) *played {
	var err error
	p.last, err = p.file().Graph().On(p.store, nil).Resume(p.Context(), a, &graph.RunConfig{Thread: "x", InterruptBefore: stops})
	return p.paused(err)
}

func (p *played) paused(err error) *played {
	if err != nil {
		require.ErrorIs(p, err, graph.ErrInterrupted)
	}
	return p
}

func (p *played) done() bool { return p.last.Outcome == graph.OutcomeDone }

// sight is where the thread's handoffs stand.
func (p *played) sight() handoffs.Sight {
	f := p.file()
	snap, err := f.Graph().On(p.store, nil).State(p.Context(), "x", "")
	require.NoError(p, err)
	s, err := handoffs.Records{Schema: f.Schema()}.Look(&snap.Values)
	require.NoError(p, err)
	return s
}

// field returns a field of the state.
func (p *played) field(name string) any {
	snap, err := p.file().Graph().On(p.store, nil).State(p.Context(), "x", "")
	require.NoError(p, err)
	v, _ := snap.Values.Get(name)
	return v
}

// messages are those for a bus, of one type.
func (p *played) messages(typ string) (out []bus.Message) {
	for m := range handoffs.BusMessages("x", p.sight().Log) {
		if m.Type == typ {
			out = append(out, m)
		}
	}
	return out
}

// records are those of the handoffs that were accepted.
func (p *played) records() (out []handoffs.Record) {
	for h := range handoffs.History(p.sight().Log, handoffs.Filter{Accepted: true}) {
		out = append(out, h.Record)
	}
	return out
}

// states are those that the workflow was in.
func (p *played) states(start string) []string {
	out := []string{start}
	for e := range p.sight().Log.All() {
		if e.State != "" && e.Code == "" {
			out = append(out, e.State)
		}
	}
	return out
}

// story tells the log without ids.
func (p *played) story() (out []string) {
	for e := range p.sight().Log.All() {
		line := fmt.Sprint(e.At.UTC().Format(time.DateTime), " ", e.Event, e.Kind, " ", e.From, ">", e.To, " ", e.Stages, " ", e.State, " ", e.Code, " ", e.Message, " ", e.Why)
		if e.Record != nil {
			line += fmt.Sprint(" ", e.Record.Rule, " ", e.Record.Priority, " ", e.Record.Task, " ", e.Record.Payload)
		}
		out = append(out, line)
	}
	return out
}

// targets name whom messages went to.
func targets(ms []bus.Message) (out []string) {
	for _, m := range ms {
		out = append(out, m.Target)
	}
	return out
}

// rules name those that made handoffs, in order.
func (p *played) rules() string {
	var out []string
	for _, r := range p.records() {
		out = append(out, r.Rule)
	}
	return strings.Join(out, " ")
}

// events counts the entries of an event.
func (p *played) events(name string) (n int) {
	for e := range p.sight().Log.All() {
		if e.Event == name {
			n++
		}
	}
	return n
}
