package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planLine tells a line about a plan.
func planLine(d map[string]any) string {
	line := fmt.Sprintf("  plan %v v%v %v", d["plan"], d["version"], d["phase"])
	line += with(": ", d["goal"]) + with(": ", d["message"])
	var ids []string
	steps, _ := d["steps"].([]any)
	for _, s := range steps {
		ids = append(ids, fmt.Sprint(s.(map[string]any)["id"]))
	}
	if ids != nil {
		line += " [" + strings.Join(ids, " ") + "]"
	}
	return line
}

// stepLine tells a line about a plan's step.
func stepLine(d map[string]any) string {
	line := fmt.Sprintf("  step %v %v", d["step"], d["status"])
	line += with(" by ", d["agent"]) + with(", attempt ", d["attempt"])
	return line + with(" !", d["code"]) + with(" ", d["message"])
}

// cursorOf adds where a plan's cursor stands behind an update, if it has moved.
func cursorOf(cursors []string, update map[string]any) []string {
	course, _ := update["plan_course"].(map[string]any)
	if course == nil || course["phase"] == nil {
		return cursors
	}
	at := fmt.Sprint(course["cursor"])
	if phase := course["phase"]; phase != "working" {
		at = fmt.Sprint(phase)
	}
	if n := len(cursors); n > 0 && cursors[n-1] == at {
		return cursors
	}
	return append(cursors, at)
}

// planField tells a field in which a plan is kept; false for others.
func planField(t *testing.T, b *strings.Builder, name string, raw json.RawMessage) bool {
	t.Helper()
	switch name {
	case "plan":
		var p struct {
			ID      string
			Version int
			Steps   []struct{ ID string }
		}
		require.NoError(t, json.Unmarshal(raw, &p))
		var ids []string
		for _, s := range p.Steps {
			ids = append(ids, s.ID)
		}
		fmt.Fprintf(b, "  plan: %s v%d [%s]\n", p.ID, p.Version, strings.Join(ids, " "))
	case "plan_steps":
		var steps map[string]map[string]any
		require.NoError(t, json.Unmarshal(raw, &steps))
		for _, id := range slices.Sorted(maps.Keys(steps)) {
			fmt.Fprintf(b, "  plan_steps.%s: %s\n", id, keptStep(t, steps[id]))
		}
	case "plan_log":
		var events []map[string]any
		require.NoError(t, json.Unmarshal(raw, &events))
		for _, e := range events {
			fmt.Fprintf(b, "  plan_log %s\n", planEvent(e))
		}
	default:
		return false
	}
	return true
}

// keptStep tells how a step stands.
func keptStep(t *testing.T, s map[string]any) string {
	t.Helper()
	line := fmt.Sprint(s["status"]) + with(", agent ", s["agent"]) + with(", attempt ", s["attempt"]) + with(", version ", s["version"])
	line += with(", tried ", s["tried"]) + with(", raised ", s["raised"]) + with(" !", s["code"]) + with(" ", s["error"])
	r, ok := s["result"].(map[string]any)
	if !ok {
		return line
	}
	delete(r, "spent")
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return line + " " + string(data)
}

// planEvent tells an entry of a plan's log.
func planEvent(e map[string]any) string {
	line := fmt.Sprintf("%v %v v%v", e["seq"], e["event"], e["version"])
	line += with(" ", e["step"]) + with(" by ", e["agent"]) + with(", attempt ", e["attempt"])
	return line + with(" !", e["code"]) + with(" ", e["message"])
}
