package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const scenarios = "../../testdata/handoffs"

// TestScenarios runs what the graph files of testdata/handoffs say to try, each
// on one thread, and compares the route that the agents took, what the log says
// of their handoffs, and the state, with the file beside them. A text file says
// what to try of a graph file that several scenarios share.
func TestScenarios(t *testing.T) {
	t.Chdir(scenarios)
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	texts, err := filepath.Glob("*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range slices.Concat(files, texts) {
		name := strings.TrimSuffix(file, filepath.Ext(file))
		t.Run(name, func(t *testing.T) { golden(t, name+".golden", scenario(t, file)) })
	}
}

// scenario runs the commands of a file and tells what came of them.
func scenario(t *testing.T, file string) string {
	t.Helper()
	commands := tries(t, file)
	require.NotEmpty(t, commands, "%s says nothing to try", file)
	var b strings.Builder
	dir, ran := t.TempDir(), "" // the graph file that was run
	for _, line := range commands {
		fmt.Fprintf(&b, "$ %s\n", line)
		args := arguments(t, line)
		if args[0] != "run" && args[0] != "resume" {
			out := commandIn(t, dir, "", args...)
			fmt.Fprintf(&b, "%s%s[exit code %d]\n\n", out.stdout, out.stderr, out.code)
			continue
		}
		ran = args[1]
		out := commandIn(t, dir, "", append(args, "--thread", "x", "--output", "jsonl")...)
		told(t, &b, out.stdout)
		if out.code == 2 { // nothing has run
			b.WriteString(out.stderr)
		}
		fmt.Fprintf(&b, "[exit code %d]\n\n", out.code)
	}
	if ran != "" {
		left(t, &b, commandIn(t, dir, "", "state", ran, "--thread", "x", "--output", "json").stdout)
	}
	return b.String()
}

// told tells of a run what matters of its event lines.
func told(t *testing.T, b *strings.Builder, lines string) {
	t.Helper()
	var route, steps, cursors []string
	step := -1
	var rest []string
	scan := bufio.NewScanner(strings.NewReader(inOrder(t, lines)))
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		var l struct {
			Type, ID, Node, Message, Kind, Status string
			Step                                  int
			Data                                  map[string]any
			Value                                 any
		}
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			continue // a line whose data is no object is of none of the types below
		}
		switch l.Type {
		case "updates":
			if l.Step != step && len(steps) > 0 {
				route, steps = append(route, strings.Join(steps, "+")), nil
			}
			step, steps = l.Step, append(steps, l.Node)
			cursors = cursorOf(cursors, l.Data)
		case "plan":
			rest = append(rest, planLine(l.Data))
		case "plan_step":
			rest = append(rest, stepLine(l.Data))
		case "agent_handoff":
			rest = append(rest, fmt.Sprintf("  agent_handoff %v -> %v (%v%s)", l.Data["fromAgentId"], l.Data["toAgentId"], l.Data["kind"], with(", ", l.Data["reason"])))
		case "agent_changed":
			rest = append(rest, fmt.Sprintf("  agent_changed %v -> %v%s", l.Data["fromAgentId"], l.Data["toAgentId"], with(", suspended: ", l.Data["suspended"])))
		case "handoff_rejected":
			rest = append(rest, fmt.Sprintf("  rejected %v -> %v: %v (%v)", l.Data["fromAgentId"], l.Data["toAgentId"], l.Data["message"], l.Data["code"]))
		case "interrupt":
			data, err := json.Marshal(l.Value)
			require.NoError(t, err)
			rest = append(rest, "  asks "+l.ID+" "+string(data))
		case "error":
			rest = append(rest, fmt.Sprintf("  error %s: %s", l.Kind, l.Message))
		case "done":
			rest = append(rest, "  "+l.Status)
		}
	}
	if len(steps) > 0 {
		route = append(route, strings.Join(steps, "+"))
	}
	fmt.Fprintf(b, "  route %s\n", strings.Join(route, " "))
	if cursors != nil {
		fmt.Fprintf(b, "  cursor %s\n", strings.Join(cursors, " "))
	}
	fmt.Fprintf(b, "%s\n", strings.Join(rest, "\n"))
}

func with(before string, v any) string {
	if v == nil || v == "" {
		return ""
	}
	return before + fmt.Sprint(v)
}

// left tells the log and the state that a scenario has left.
func left(t *testing.T, b *strings.Builder, state string) {
	t.Helper()
	var s struct {
		Values map[string]json.RawMessage
		Next   []string
	}
	require.NoError(t, json.Unmarshal([]byte(state), &s), state)
	var entries []map[string]any
	if raw := s.Values["handoff_log"]; raw != nil {
		require.NoError(t, json.Unmarshal(raw, &entries))
	}
	b.WriteString("log\n")
	for _, e := range entries {
		b.WriteString("  " + entryLine(e) + "\n")
	}
	b.WriteString("state\n")
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		switch name {
		case "handoff_log", "tool_executions":
		case "messages":
			conversation(t, b, s.Values[name])
		case "handoffs":
			var desk map[string]any
			require.NoError(t, json.Unmarshal(s.Values[name], &desk))
			for _, key := range []string{"owner", "active", "mode", "directed", "class", "machine", "counts", "breakers", "clock", "spent", "fault", "ended", "degraded"} {
				if v, ok := desk[key]; ok {
					data, err := json.Marshal(v)
					require.NoError(t, err)
					fmt.Fprintf(b, "  handoffs.%s: %s\n", key, strings.ReplaceAll(string(data), `\u003e`, ">"))
				}
			}
			chosen(b, desk)
		default:
			if !planField(t, b, name, s.Values[name]) {
				fmt.Fprintf(b, "  %s: %s\n", name, s.Values[name])
			}
		}
	}
	if len(s.Next) > 0 {
		fmt.Fprintf(b, "next %s\n", strings.Join(s.Next, " "))
	}
}

// chosen tells whom a user has chosen, and who was set aside for that.
func chosen(b *strings.Builder, desk map[string]any) {
	if id, ok := desk["identity"].(map[string]any); ok && desk["directed"] != nil {
		fmt.Fprintf(b, "  handoffs.identity: %v\n", id)
	}
	parked, _ := desk["parked"].([]any)
	for _, p := range parked {
		p := p.(map[string]any)
		fmt.Fprintf(b, "  handoffs.parked: token %v, owner %v", p["token"], p["owner"])
		frames, _ := p["frames"].([]any)
		for _, f := range frames {
			f := f.(map[string]any)
			fmt.Fprintf(b, ", frame %v of %v %v", f["id"], f["agent"], f["state"])
		}
		b.WriteString("\n")
	}
}

// conversation tells the messages of a conversation.
func conversation(t *testing.T, b *strings.Builder, raw json.RawMessage) {
	t.Helper()
	var ms []struct {
		Type, Name, Status string
		Content            any
		ToolCallID         string                  `json:"tool_call_id"`
		ToolCalls          []struct{ Name string } `json:"tool_calls"`
	}
	require.NoError(t, json.Unmarshal(raw, &ms))
	for _, m := range ms {
		calls := ""
		for _, c := range m.ToolCalls {
			calls += " [calls " + c.Name + "]"
		}
		fmt.Fprintf(b, "  %s%s: %v%s%s\n", m.Type, with(" ", m.Name), m.Content, calls, with(" !", strings.TrimPrefix(m.Status, "success")))
	}
}

// entryLine tells an entry of the log in a line.
func entryLine(e map[string]any) string {
	what := e["kind"]
	if e["event"] != nil {
		what = e["event"]
	}
	line := fmt.Sprintf("%v %v>%v", what, orEmpty(e["from"]), orEmpty(e["to"]))
	if stages, ok := e["stages"].([]any); ok {
		line += fmt.Sprint(" ", stages)
	}
	if e["codes"] != nil {
		line += fmt.Sprint(" !", e["codes"])
	} else {
		line += with(" !", e["code"])
	}
	for _, key := range []string{"message", "state", "attempt"} {
		line += with(" "+key+": ", e[key])
	}
	if r, ok := e["record"].(map[string]any); ok {
		for _, key := range []string{"rule", "reason", "priority", "planStepId", "actor"} {
			line += with(" "+key+"="+"", r[key])
		}
	}
	if r, ok := e["result"].(map[string]any); ok {
		line += with(" result="+"", r["status"])
	}
	if d, ok := e["detail"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(d)) {
			line += fmt.Sprintf(" %s=%v", key, d[key])
		}
	}
	if why, ok := e["why"].([]any); ok {
		for _, w := range why {
			line += fmt.Sprintf("\n      %v", w)
		}
	}
	return line
}

func orEmpty(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
