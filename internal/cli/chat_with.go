package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
)

// conversationOf is the field with the conversation of a file: the one that was
// named, else the only one there is.
func conversationOf(f *graphfile.File, named string) (string, error) {
	var there []string
	for _, name := range f.Schema().Fields() {
		if info, ok := f.Schema().Layout().Info(name); ok && info.Kind == "messages" && !info.Local {
			there = append(there, name)
		}
	}
	list := strings.Join(there, ", ")
	switch {
	case len(there) == 0:
		return "", usage("the graph has no conversation: declare a field with reduce: messages, as messages: {reduce: messages}")
	case named != "" && !slices.Contains(there, named):
		return "", usage("--messages %s: that is no field with reduce: messages; there is %s%s", named, list, didYouMean(named, there))
	case named != "":
		return named, nil
	case f.Team() != nil:
		return "messages", nil
	case len(there) > 1:
		return "", usage("which conversation? %s have reduce: messages; give --messages FIELD", list)
	}
	return there[0], nil
}

// selectable is the id of the agent that a user may choose by a name.
func (c *chat) selectable(name string) (string, error) {
	team := c.defs.Team()
	if team == nil {
		return "", errors.New("the graph file has no agents")
	}
	agents := team.Manager().Policy().Registry
	p, near, ok := agents.Lookup(name)
	switch {
	case !ok && len(near) > 0:
		return "", fmt.Errorf("there is no agent %q; did you mean %q? %s", name, near[0], selectableOf(agents))
	case !ok:
		return "", fmt.Errorf("there is no agent %q; %s", name, selectableOf(agents))
	case !p.Selectable:
		return "", fmt.Errorf("%s cannot be chosen by users; %s", p.ID, selectableOf(agents))
	}
	return p.ID, nil
}

// selectableOf names the agents that users may choose.
func selectableOf(agents *handoffs.Registry) string {
	var ids []string
	for _, p := range agents.Selectable() {
		ids = append(ids, p.ID)
	}
	if ids == nil {
		return "no agent can be chosen: none is selectable"
	}
	return "these can be chosen: " + strings.Join(ids, ", ")
}
