package graphfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// op is one thing that is done with a session: a run with an input, a choice
// of an agent, a signal, or an answer.
type op struct {
	input  string
	choose string
	signal *handoffs.Signal
	answer any
}

// session runs a file's graph on one thread and notes what happens.
type session struct {
	t     *testing.T
	file  *graphfile.File
	graph *graph.Graph[state.Record]
	out   strings.Builder
	state state.Record
}

func newSession(t *testing.T, f *graphfile.File) *session {
	return &session{t: t, file: f, graph: f.Graph().On(checkpoint.NewMemory(nil), nil)}
}

func (s *session) do(o op) {
	cfg := &graph.RunConfig{Thread: "t", CheckViews: true}
	ctx := s.t.Context()
	switch {
	case o.answer != nil:
		fmt.Fprintf(&s.out, "answer %v\n", o.answer)
		s.watch(s.graph.StreamResume(ctx, graph.Answer(o.answer), cfg))
	default:
		fmt.Fprintf(&s.out, "run %s%s\n", o.input, o.choose)
		s.watch(s.graph.Stream(ctx, s.input(o), cfg))
	}
}

func (s *session) input(o op) []state.Write[state.Record] {
	in, err := s.file.Input([]byte(o.input))
	require.NoError(s.t, err)
	var more []state.Write[state.Record]
	switch {
	case o.choose != "":
		more, err = s.file.Team().Select(o.choose)
	case o.signal != nil:
		more, err = s.file.Team().Signal(*o.signal)
	}
	require.NoError(s.t, err)
	return append(in, more...)
}

// watch notes who had a turn, what was handed over and how the run ended.
func (s *session) watch(events func(func(graph.Event, error) bool)) {
	for e, err := range events {
		if err != nil {
			break
		}
		switch e := e.(type) {
		case *graph.TaskFinished:
			s.turn(e)
		case *graph.Custom:
			fmt.Fprintf(&s.out, "  %s\n", notice(e.Value))
		case *graph.Asked:
			data, err := json.Marshal(e.Question.Value)
			require.NoError(s.t, err)
			fmt.Fprintf(&s.out, "  asks %s\n", clean(string(data)))
		case *graph.StepCommitted:
			if len(e.NS) == 0 {
				s.state = *e.State.(*state.Record)
			}
		case *graph.RunFinished:
			if len(e.NS) == 0 {
				s.end(e)
			}
		}
	}
}

// turn notes what a node wrote, without what the handoffs keep.
func (s *session) turn(e *graph.TaskFinished) {
	data, err := e.Update.MarshalJSON()
	require.NoError(s.t, err)
	var fields map[string]any
	require.NoError(s.t, json.Unmarshal(data, &fields))
	for _, f := range handoffs.RecordFields() {
		delete(fields, f.Name)
	}
	var said []string
	var all struct {
		Messages []struct {
			Content any `json:"content"`
		}
	}
	require.NoError(s.t, json.Unmarshal(data, &all))
	for _, m := range all.Messages {
		said = append(said, fmt.Sprintf("%q", m.Content))
	}
	text, err := json.Marshal(fields)
	require.NoError(s.t, err)
	fmt.Fprintf(&s.out, "  %s %s %s\n", strings.Join(append(e.NS, e.Node), "/"), text, strings.Join(said, " "))
}

func (s *session) end(e *graph.RunFinished) {
	fmt.Fprintf(&s.out, "  %s", e.Outcome)
	var refused *handoffs.Error
	if errors.As(e.Err, &refused) {
		fmt.Fprintf(&s.out, " %s", refused.Code)
	} else if e.Err != nil && e.Outcome != graph.OutcomeInterrupted {
		fmt.Fprintf(&s.out, " %v", e.Err)
	}
	s.out.WriteString("\n")
}

// codeOf is the code at the end of a warning about a policy, or the warning.
func codeOf(message string) string {
	if i := strings.LastIndex(message, "("); i >= 0 && strings.HasSuffix(message, ")") {
		return message[i+1 : len(message)-1]
	}
	return message
}

func notice(v any) string {
	switch n := v.(type) {
	case *handoffs.HandoffNotice:
		return strings.TrimSpace(fmt.Sprintf("%s => %s (%s) %s", n.From, n.To, n.Kind, n.Task))
	case *handoffs.RejectedNotice:
		return fmt.Sprintf("%s x> %s %v", n.From, n.To, n.Codes)
	case *handoffs.AgentChanged:
		return "active " + n.To
	}
	return fmt.Sprintf("%v", v)
}

// clean takes the ids and times out of a text that differ from run to run.
func clean(text string) string {
	return ids.ReplaceAllString(times.ReplaceAllString(text, "TIME"), "ID")
}

// log is the log of handoffs, one entry a line.
func (s *session) log() string {
	look, err := handoffs.Records{Schema: s.file.Schema()}.Look(&s.state)
	require.NoError(s.t, err)
	var b strings.Builder
	for e := range look.Log.All() {
		fmt.Fprintf(&b, "  %s %s>%s", orDash(e.Event, string(e.Kind)), e.From, e.To)
		for _, st := range e.Stages {
			fmt.Fprintf(&b, " %s", st)
		}
		if e.Code != "" {
			fmt.Fprintf(&b, " !%s", e.Code)
		}
		if e.State != "" {
			fmt.Fprintf(&b, " [%s]", e.State)
		}
		for _, why := range e.Why {
			fmt.Fprintf(&b, "\n    because %s", why)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func orDash(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return "-"
}

// TestTeams runs files with agents and compares what happens with what is
// written down. They show what the sections about agents can say.
func TestTeams(t *testing.T) {
	t.Parallel()
	sessions := teamSessions()
	for _, path := range files(t, "teams/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := graphfile.Load(path, nil)
			require.NoError(t, err)
			s := newSession(t, f)
			ops := sessions[name]
			if ops == nil {
				ops = []op{{input: "{}"}}
			}
			for _, o := range ops {
				s.do(o)
			}
			text := s.out.String() + "log\n" + s.log()
			for _, w := range f.Warnings() {
				text = fmt.Sprintf("warning in line %d: %s\n", w.Pos.Line, codeOf(w.Message)) + text
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", text)
		})
	}
}
