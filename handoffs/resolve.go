package handoffs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// resolve looks for keys that branches of a spawn wrote with different values,
// and puts what they agree on, or whose value counts, into the result's
// outputs. It returns the agent that is to decide, if the join names one.
func (w *work) resolve(g *Group, res *CallResult) (arbiter string) {
	outputs := map[string]any{}
	values := map[string]map[string]any{}
	for i := range g.Parts {
		p := &g.Parts[i]
		for _, key := range sortedKeys(p.Outcome.Outputs) {
			if values[key] == nil {
				values[key] = map[string]any{}
			}
			values[key][p.Branch] = p.Outcome.Outputs[key]
		}
	}
	for _, key := range sortedKeys(values) {
		value, same := agreed(values[key])
		if !same {
			c := Conflict{Key: key, Values: values[key], Winner: g.winner(key)}
			res.Conflicts = append(res.Conflicts, c)
			if c.Winner == "" {
				continue
			}
			value = values[key][c.Winner]
		}
		outputs[key] = value
	}
	if len(outputs) > 0 {
		res.Outcome.Outputs = outputs
	}
	return w.contested(g, res)
}

// agreed returns the value that all branches wrote, if it is one.
func agreed(by map[string]any) (value any, same bool) {
	var first []byte
	for i, branch := range sortedKeys(by) {
		data, err := state.AppendAny(nil, by[branch])
		if err != nil {
			return nil, false
		}
		if i == 0 {
			first, value = data, by[branch]
		} else if !bytes.Equal(first, data) {
			return nil, false
		}
	}
	return value, true
}

// winner is the branch whose value counts for a key in conflict; "" if none.
func (g *Group) winner(key string) string {
	wrote := func(p BranchResult) bool { _, ok := p.Outcome.Outputs[key]; return ok }
	switch g.Join.Resolve {
	case "first":
		return g.Parts[slices.IndexFunc(g.Parts, wrote)].Branch
	case "last":
		for _, p := range slices.Backward(g.Parts) {
			if wrote(p) {
				return p.Branch
			}
		}
	}
	return ""
}

// contested notes the conflicts that nobody has won, and says who decides.
func (w *work) contested(g *Group, res *CallResult) (arbiter string) {
	for _, c := range res.Conflicts {
		w.add(Entry{Event: EventConflict, From: w.agentOf(g.Caller), Code: CodeConflict, Message: c.Key,
			Detail: map[string]any{"values": c.Values, "winner": c.Winner}})
		if c.Winner != "" {
			continue
		}
		if agent, ok := strings.CutPrefix(g.Join.Resolve, "agent:"); ok {
			arbiter = agent
			continue
		}
		res.Outcome.Status, res.Outcome.Code = Failed, CodeConflict
		res.Outcome.Error = w.p.text(CodeConflict, "value", c.Key)
	}
	return arbiter
}
