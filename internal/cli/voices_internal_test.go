package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
)

// pieceOf is a piece of a message.
func pieceOf(id, agent string, kind nodes.ChunkKind, text string) graph.Event {
	return &graph.Custom{Head: graph.Head{Pos: graph.Pos{1, 1, 0}}, Type: "messages", Value: nodes.MessageEvent{ID: id, Agent: agent, Kind: kind, Text: text}}
}

func TestVoices(t *testing.T) {
	t.Parallel()
	const text, end, again, thought = nodes.TellsText, nodes.TellsEnd, nodes.TellsAgain, nodes.TellsReasoning
	for name, c := range map[string]struct {
		events []graph.Event
		want   string
	}{
		"one":           {[]graph.Event{pieceOf("1", "a", text, "Hel"), pieceOf("1", "a", text, "lo"), pieceOf("1", "a", end, "")}, "a: Hello\n"},
		"lines":         {[]graph.Event{pieceOf("1", "a", text, "x\ny"), pieceOf("1", "a", end, "")}, "a: x\ny\n"},
		"cut off":       {[]graph.Event{pieceOf("1", "a", text, "Hel")}, "a: Hel\n"},
		"nothing said":  {[]graph.Event{pieceOf("1", "a", thought, "hm"), pieceOf("1", "a", end, "")}, ""},
		"control signs": {[]graph.Event{pieceOf("1", "a", text, "\x1b[2Jred\u202e"), pieceOf("1", "a", end, "")}, "a: [2Jred\n"},
		"two at once": {[]graph.Event{pieceOf("1", "a", text, "a1 "), pieceOf("2", "b", text, "b1 "), pieceOf("1", "a", text, "a2"), pieceOf("2", "b", text, "b2"),
			pieceOf("1", "a", end, ""), pieceOf("2", "b", text, " b3"), pieceOf("2", "b", end, "")}, "a: a1 a2\nb: b1 b2 b3\n"},
		"one waits till it is whole": {[]graph.Event{pieceOf("1", "a", text, "a"), pieceOf("2", "b", text, "b"), pieceOf("2", "b", end, ""), pieceOf("3", "c", text, "c"), pieceOf("1", "a", end, ""), pieceOf("3", "c", end, "")}, "a: a\nb: b\nc: c\n"},
		"anew":                       {[]graph.Event{pieceOf("1", "a", text, "wro"), pieceOf("1", "a", again, "cut"), pieceOf("1", "a", text, "right"), pieceOf("1", "a", end, "")}, "a: wro\nwhat a said is void, it is asked again: cut\na: right\n"},
		"anew while it waits":        {[]graph.Event{pieceOf("1", "a", text, "a"), pieceOf("2", "b", text, "wro"), pieceOf("2", "b", again, "cut"), pieceOf("2", "b", text, "b"), pieceOf("1", "a", end, ""), pieceOf("2", "b", end, "")}, "a: a\nb: b\n"},
		"a tool between": {[]graph.Event{pieceOf("1", "a", text, "I look."),
			&graph.Custom{Head: graph.Head{Step: 1}, TaskRef: graph.TaskRef{Node: "a"}, Value: nodes.MessageEvent{ID: "1", Agent: "a", Kind: nodes.TellsCall, Call: &nodes.CallEvent{Name: "look", Args: `{"q":1}`}}},
			pieceOf("1", "a", end, ""),
			&graph.Custom{Head: graph.Head{Step: 1}, TaskRef: graph.TaskRef{Node: "a"}, Value: nodes.ToolEvent{Tool: "look", Phase: nodes.ToolBegins}},
			&graph.Custom{Head: graph.Head{Step: 1}, TaskRef: graph.TaskRef{Node: "a"}, Value: nodes.ToolEvent{Tool: "look", Phase: nodes.ToolProgress, Value: "half"}},
			&graph.Custom{Head: graph.Head{Step: 1}, TaskRef: graph.TaskRef{Node: "a"}, Value: nodes.ToolEvent{Tool: "look", Phase: nodes.ToolEnds, Text: "seen\nall"}},
			&graph.Custom{Head: graph.Head{Step: 1}, TaskRef: graph.TaskRef{Node: "a"}, Value: nodes.ToolEvent{Tool: "look", Phase: nodes.ToolFails, Text: "no"}}},
			"a: I look.\nstep      a         a calls look {\"q\":1}\nstep      a         look: half\nstep      a         look gave seen all\nstep      a         look failed: no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			a := &app{Env: Env{}.filled()}
			p := &plain{out: &out, ledger: newLedger(a.Now), painter: newPainter(ink(false), 1)}
			for _, e := range c.events {
				require.NoError(t, p.event(e))
			}
			require.NoError(t, p.close())
			require.Equal(t, c.want, out.String())
		})
	}
}

// On a terminal the line at hand is drawn, and whole lines scroll away above the
// tree.
func TestLiveShowsWhatIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(21, 24)
		require.NoError(t, l.event(&graph.TaskStarted{Head: at(graph.Pos{1, 1, 0}), TaskRef: graph.TaskRef{Task: "1.0", Node: "a"}}))
		for _, text := range []string{"Hello ", "there, ", "who ", "are"} {
			require.NoError(t, l.event(pieceOf("1", "a", nodes.TellsText, text)))
		}
		time.Sleep(2 * framePause)
		synctest.Wait()
		require.Equal(t, []string{"a: Hello there, who ", "are"}, s.lines[:2])
		require.Contains(t, s.lines[2], "a")
		require.NoError(t, l.event(pieceOf("1", "a", nodes.TellsText, " you?")))
		require.NoError(t, l.event(pieceOf("1", "a", nodes.TellsEnd, "")))
		require.NoError(t, l.close())
		require.Equal(t, []string{"a: Hello there, who ", "are you?"}, s.lines[:2])
		require.True(t, s.cursor)
	})
}
