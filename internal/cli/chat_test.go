package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
)

const slowTalk = `
state: {messages: {reduce: messages}}
nodes:
  first: {update: {messages: [{type: ai, name: first, content: "one"}]}}
  slow: {sleep: 300ms, update: {messages: [{type: ai, name: slow, content: "two"}]}}
  last: {update: {messages: [{type: ai, name: last, content: "three"}]}}
edges: [START -> first, first -> slow, slow -> last]
`

// pressing is somebody who types, and presses keys when something is shown.
type pressing struct {
	mu      sync.Mutex
	shown   bytes.Buffer
	on      map[string]os.Signal // by what is shown
	signals chan os.Signal
}

func (p *pressing) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown.Write(data)
	for text, s := range p.on {
		if strings.Contains(p.shown.String(), text) {
			delete(p.on, text)
			p.signals <- s
		}
	}
	return len(data), nil
}

// chats runs a chat with a slow graph in which keys are pressed.
func chats(t *testing.T, typed io.Reader, graph string, on map[string]os.Signal) output {
	t.Helper()
	file := t.TempDir() + "/slow.yaml"
	require.NoError(t, os.WriteFile(file, []byte(graph), 0o600))
	p := &pressing{on: on, signals: make(chan os.Signal, 4)}
	env := quiet([]string{"chat", file})
	env.Getenv, env.Signals = stateIn(t.TempDir()), p.signals
	env.Stdin, env.Stdout, env.Stderr = typed, p, p
	if s, ok := typed.(*signalling); ok {
		s.signals = p.signals
	}
	env.Terminal = cli.Terminal{Stdin: true}
	code := cli.Run(t.Context(), env)
	p.mu.Lock()
	defer p.mu.Unlock()
	return output{stdout: p.shown.String(), code: code}
}

func TestCtrlCEndsTheRunAndNotTheChat(t *testing.T) {
	t.Parallel()
	out := chats(t, strings.NewReader("go\n/retry\n/quit\n"), slowTalk, map[string]os.Signal{"first: one": syscall.SIGINT})
	require.Equal(t, 0, out.code, out.stdout)
	require.Contains(t, out.stdout, "stopping: the step at work is finished first; once more ends the chat\n")
	require.Contains(t, out.stdout, "slow: two\ngraphrun: the run was stopped")
	require.Contains(t, out.stdout, "> last: three\n")
	require.Equal(t, 1, strings.Count(out.stdout, "first: one"))
}

func TestCtrlCTwiceEndsTheChat(t *testing.T) {
	t.Parallel()
	out := chats(t, strings.NewReader("go\ngo\n"), strings.Replace(slowTalk, "300ms", "10m", 1),
		map[string]os.Signal{"first: one": syscall.SIGINT, "stopping:": syscall.SIGINT})
	require.Equal(t, 130, out.code, out.stdout)
	require.Contains(t, out.stdout, "graphrun: the run was stopped")
	require.Equal(t, 1, strings.Count(out.stdout, "first: one"))
}

func TestSigtermEndsTheChat(t *testing.T) {
	t.Parallel()
	out := chats(t, strings.NewReader("go\ngo\n"), slowTalk, map[string]os.Signal{"first: one": syscall.SIGTERM})
	require.Equal(t, 130, out.code, out.stdout)
	require.Contains(t, out.stdout, "slow: two\n", "the step at work is finished")
	require.NotContains(t, out.stdout, "three")
}

func TestCtrlCAtThePromptEndsTheChat(t *testing.T) {
	t.Parallel()
	s := &signalling{stuck: make(chan struct{})}
	defer close(s.stuck)
	out := chats(t, s, slowTalk, nil)
	require.Equal(t, 130, out.code, out.stdout)
}

// meanwhile does something once when a text is written.
type meanwhile struct {
	text string
	do   func()
}

func (m *meanwhile) Write(data []byte) (int, error) {
	if m.do != nil && bytes.Contains(data, []byte(m.text)) {
		do := m.do
		m.do = nil
		do()
	}
	return len(data), nil
}

const slowDesk = `
nodes: {slow: {sleep: 10m}}
agents:
  a: {turns: [{say: "a here"}]}
  b: {selectable: true, turns: [{say: "b here"}]}
handoffs: {entry: a}
edges: [START -> slow, slow -> agents]
`

func TestAMessageThatIsNotTakenKeepsTheChoiceOfTheAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := dir + "/slow.yaml"
	require.NoError(t, os.WriteFile(file, []byte(slowDesk), 0o600))
	var out output
	ctx, cancel := context.WithCancel(t.Context())
	env := quiet([]string{"run", file, "--thread", "t", "--output", "jsonl", "--debug"})
	env.Getenv, env.Stderr = stateIn(dir), io.Discard
	env.Stdout = &meanwhile{text: `"node":"slow"`, do: func() {
		defer cancel()
		out = commandIn(t, dir, "hello\n/agent\n", "chat", file, "--thread", "t", "--agent", "b")
	}}
	cli.Run(ctx, env)
	require.Equal(t, 1, out.code, out.stderr)
	require.Contains(t, out.stderr, "--busy enqueue waits until the other run has ended")
	require.Contains(t, out.stderr, "the message is not kept")
	require.Contains(t, out.stdout, "the next message goes to b")
}
