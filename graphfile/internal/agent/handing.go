package agent

import (
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	team "github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
)

// handoffs reads how the model hands over: {style, tool, when, kind, announced,
// guidance, keep_voices, others, tries}.
func handoffs(f *source.Fields) nodes.Handoffs {
	h := nodes.Handoffs{}
	style, _ := f.OneOf("style", "one", "per_target")
	h.PerTarget = style == "per_target"
	h.Tool.Name, _ = f.Text("tool")
	h.Tool.When, _ = f.Text("when")
	kind, _ := f.OneOf("kind", string(team.Call), string(team.Transfer))
	h.Kind = team.Kind(kind)
	announced, _ := f.OneOf("announced", "ask", string(nodes.AutoRoute), string(nodes.TakeAsIs))
	if announced != "ask" {
		h.Announced = nodes.Announced(announced)
	}
	if tell, ok := f.Bool("guidance"); ok {
		h.NoGuidance = !tell
	}
	h.KeepVoices, _ = f.Bool("keep_voices")
	others, _ := f.OneOf("others", "done", string(nodes.OthersAll), string(nodes.OthersWork), string(nodes.OthersAnswers))
	if others != "done" {
		h.Others = nodes.Others(others)
	}
	if n, ok := f.Int("tries", 0, math.MaxInt32); ok {
		if h.Tries = int(n); n == 0 {
			h.Tries = -1
		}
	}
	f.Done()
	return h
}
