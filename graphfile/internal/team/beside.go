package team

import (
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// beside are agents that work side by side, each as often as it is there.
type beside struct {
	pos    source.Pos
	agents []string
}

// besideOf reads the agents of a spawn off the file. Of one that is there for
// each element of a list there may be two.
func besideOf(n *source.Node) beside {
	b := beside{pos: n.Pos}
	branches := n.Get("branches")
	if branches == nil {
		return b
	}
	for _, item := range branches.Items {
		to := item.Get("to")
		if to == nil || dynamic(to) {
			continue
		}
		b.agents = append(b.agents, to.Text)
		if item.Get("each") != nil {
			b.agents = append(b.agents, to.Text)
		}
	}
	return b
}

// Meeting is a field that two agents side by side may write.
type Meeting struct {
	Pos           source.Pos // of the spawn
	Field         string
	First, Second string
}

// Meetings are the fields that agents of one spawn may write in one step, each
// once a spawn.
func (t *Team) Meetings() []Meeting {
	writes := map[string][]string{}
	for _, a := range t.Agents {
		writes[a.ID] = a.writes()
	}
	var out []Meeting
	for _, a := range t.Agents {
		if a.Script == nil {
			continue
		}
		for i := range a.Script.turns {
			for _, b := range a.Script.turns[i].beside {
				out = append(out, b.meetings(writes)...)
			}
		}
	}
	return out
}

// writes are the fields that the agent writes by itself.
func (a *Agent) writes() []string {
	if a.Model != nil && a.Model.Into.Name != "" {
		return []string{a.Model.Into.Name}
	}
	return a.Script.Writes()
}

func (b *beside) meetings(writes map[string][]string) []Meeting {
	var out []Meeting
	first := map[string]string{}
	for _, agent := range b.agents {
		for _, field := range writes[agent] {
			other, met := first[field]
			told := slices.ContainsFunc(out, func(m Meeting) bool { return m.Field == field })
			if met && !told {
				out = append(out, Meeting{b.pos, field, other, agent})
			}
			if !met {
				first[field] = agent
			}
		}
	}
	return out
}
