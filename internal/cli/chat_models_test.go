package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
	"github.com/graphrun/graphrun/internal/llmstub"
)

const modelDesk = `
name: desk
models:
  smart: {use: "openai:gpt-4o-mini", retry: {max_attempts: 2, initial_interval: 1ms}}
  careful: {use: "anthropic:claude-sonnet", retry: {max_attempts: 1}}
tools:
  look:
    description: Looks for an order.
    args: {order: {type: int}}
    exec: [sh, -c, "cat > /dev/null; echo on its way"]
  pay:
    description: Pays money back.
    args: {amount: {type: int}}
    approve: true
    exec: [cat]
handoffs: {preset: specialist, entry: front}
agents:
  front: {name: Front Desk, selectable: true, model: smart, instructions: You are the front desk., tools: look, handoff: {kind: transfer}}
  billing: {selectable: true, conversational: true, model: careful, instructions: You pay money back., tools: [ask_person, pay]}
`

const modelDeskScript = `
replies:
  - when: {model: gpt-4o-mini, last: "order 17"}
    text: I look for it.
    calls: [{name: look, args: {order: 17}}]
  - when: {model: gpt-4o-mini, last: on its way}
    text: It is on
    fault: {cut: 3}
  - when: {model: gpt-4o-mini, last: on its way}
    text: "It is on\u001b[2J its way."
  - when: {model: gpt-4o-mini, last: money}
    calls: [{name: handoff_to_specialist, args: {targetAgentId: billing, reason: capability_match, explanation: it pays, task: pay}}]
  - when: {model: claude-sonnet, last: "20"}
    calls: [{name: pay, args: {amount: 20}}]
  - when: {model: claude-sonnet, last: "\"amount\":10"}
    text: You got 10.
  - when: {model: claude-sonnet, last: again}
    fault: {status: 400}
  - when: {model: claude-sonnet, last: again}
    text: Here I am.
  - when: {model: claude-sonnet}
    calls: [{name: ask_person, args: {question: "How much?", choices: ["10", "20"]}}]
`

const modelDeskTyped = `Where is order 17?
I want my money back.
2
edit {"amount": 10}
Are you there again?
/retry
`

const modelDeskSaid = `Front Desk: I look for it.
  look {"order":17} → ok
Front Desk: It is 
  (the answer is begun anew: model openai gpt-4o-mini: cut: unexpected EOF)
Front Desk: It is on[2J its way.
  front → billing: it pays
billing asks: How much?
  1. 10
  2. 20
  (or a text)
billing asks: may this be done?
  pay {"amount":20}
    Pays money back.
  y, n [WHY], edit ARGUMENTS (JSON)
  pay {"amount":10} → ok
billing: You got 10.
billing: Here I am.
`

// TestAChatWithModels talks over HTTP with two models, which stream, call tools,
// ask, hand over, break off and fail.
func TestAChatWithModels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, file := filepath.Join(dir, "desk.llm"), filepath.Join(dir, "desk.yaml")
	require.NoError(t, os.WriteFile(script, []byte(modelDeskScript), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(modelDesk), 0o600))
	w, srv := stubbed(t, script)
	out := w.chat(t, modelDeskTyped, file, "--allow-exec")
	require.Equal(t, modelDeskSaid, out.stdout, out.stderr)
	require.Equal(t, 0, out.code, out.stderr)
	requireServed(t, srv)
}

func requireServed(t *testing.T, srv *llmstub.Server) {
	t.Helper()
	require.Empty(t, srv.Unexpected())
	require.Empty(t, srv.Unused())
}

// chat runs the command chat on the thread x.
func (w *world) chat(t *testing.T, typed, file string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := quiet(append([]string{"chat", file, "--thread", "x"}, args...))
	env.Getenv = func(name string) string {
		if v, ok := w.env[name]; ok {
			return v
		}
		return stateIn(w.dir)(name)
	}
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(typed), &stdout, &stderr
	code := cli.Run(t.Context(), env)
	return output{stdout.String(), stderr.String(), code}
}
