package nodes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Handoffs says how an agent's model hands over. The zero value offers one tool,
// whose target is one of the agents that it may hand to now.
type Handoffs struct {
	// PerTarget offers a tool for each agent, transfer_to_ID, instead of one.
	PerTarget bool
	Tool      handoffs.ToolConfig // name and text of the one tool
	// Kind fixes how the model hands over: handoffs.Call or handoffs.Transfer;
	// "": it chooses, where the team's edges leave the choice.
	Kind handoffs.Kind
	// NoGuidance leaves out what the instructions tell of handing over, and of the
	// agents that are there.
	NoGuidance bool
	// KeepVoices gives the model what other agents said as its own messages, and
	// not as told by others.
	KeepVoices bool
	// Others says what the model sees of the work of other agents.
	Others Others
	// Announced says what becomes of an answer that tells of a handoff in words,
	// and calls no tool.
	Announced Announced
	// Tries is how often in a turn the model is told that an answer of its is of
	// no use, before the turn fails; 0: once; less: never.
	Tries int
}

func (h *Handoffs) tries() int { return cmp.Or(max(h.Tries, -1), 1) }

func (h *Handoffs) check(taken map[string]bool) error {
	if h.Kind != "" && h.Kind != handoffs.Call && h.Kind != handoffs.Transfer {
		return fmt.Errorf("models hand over by call or transfer, not by %q", h.Kind)
	}
	for _, name := range []string{finishTool, cmp.Or(h.Tool.Name, defaultHandoffTool)} {
		if taken[name] {
			return fmt.Errorf("the tool %q has the name of one that the team offers", name)
		}
	}
	return nil
}

const defaultHandoffTool = "handoff_to_specialist"

// ways are the tools by which a turn can hand over or return.
type ways struct {
	spec    handoffs.ToolSpec
	open    bool              // there is somebody to hand to
	targets map[string]string // of tools for one agent each
	tools   []model.Tool
}

// findWays makes the tools of a turn.
func (t *turn) findWays() (w ways) {
	if t.seat == nil {
		return w
	}
	w.spec, w.open = t.seat.Tool(&t.handoffs.Tool)
	switch {
	case !w.open:
	case t.handoffs.PerTarget:
		t.perTarget(&w)
	default:
		w.tools = append(w.tools, model.Tool{Name: w.spec.Name, Description: w.spec.Description, Schema: without(w.spec.Schema, t.fixed()...)})
	}
	if f := t.seat.Frame; f != nil && f.Stays && t.seat.Turn.Called {
		w.tools = append(w.tools, model.Tool{Name: finishTool, Description: finishText, Schema: json.RawMessage(finishSchema)})
	}
	return w
}

// perTarget makes a tool for each agent.
func (t *turn) perTarget(w *ways) {
	w.targets = map[string]string{}
	schema := without(w.spec.Schema, append(t.fixed(), "targetAgentId")...)
	for _, id := range w.spec.Targets {
		name := "transfer_to_" + toolWord(id)
		for n := 2; w.targets[name] != "" || t.tool(name) != nil; n++ {
			name = fmt.Sprintf("transfer_to_%s_%d", toolWord(id), n)
		}
		w.targets[name] = id
		w.tools = append(w.tools, model.Tool{Name: name, Description: t.tellOf(id), Schema: schema})
	}
}

// fixed are the arguments that the model does not choose.
func (t *turn) fixed() []string {
	if t.handoffs.Kind != "" {
		return []string{"returnControl"}
	}
	return nil
}

// tellOf tells the model of an agent.
func (t *turn) tellOf(id string) string {
	text := "Hands the work over to " + id + "."
	if p, ok := t.seat.Policy.Registry.Get(id); ok {
		for _, more := range []string{p.Specialization, p.Description} {
			if more != "" {
				text += " " + strings.TrimSuffix(more, ".") + "."
			}
		}
		if p.Capabilities != nil {
			text += " It can: " + strings.Join(p.Capabilities, ", ") + "."
		}
	}
	return text
}

// toolWord makes of an id what a tool's name may hold.
func toolWord(id string) string {
	word := strings.Map(func(c rune) rune {
		if isToolName(string(c)) {
			return c
		}
		return '_'
	}, id)
	return word[:min(len(word), 40)]
}

// without takes properties out of a schema of an object.
func without(schema json.RawMessage, keys ...string) json.RawMessage {
	if len(keys) == 0 {
		return schema
	}
	var object map[string]any
	if json.Unmarshal(schema, &object) != nil {
		return schema
	}
	if props, ok := object["properties"].(map[string]any); ok {
		for _, k := range keys {
			delete(props, k)
		}
	}
	if required, ok := object["required"].([]any); ok {
		object["required"] = slices.DeleteFunc(required, func(k any) bool { return slices.Contains(keys, fmt.Sprint(k)) })
	}
	data, err := json.Marshal(object)
	if err != nil { // it was JSON before
		return schema
	}
	return data
}

// hand is a call by which the model hands over or returns.
type hand struct {
	state.ToolCall
	target string // of a tool for one agent; "": the arguments name it
}

// sortCalls parts the calls of an answer.
func (t *turn) sortCalls(calls []state.ToolCall) (plain []*toolCall, hands []hand) {
	for i, c := range calls {
		target, single := t.ways.targets[c.Name]
		switch {
		case single, t.ways.open && !t.handoffs.PerTarget && c.Name == t.ways.spec.Name, c.Name == finishTool && t.offers(finishTool):
			hands = append(hands, hand{c, target})
		default:
			plain = append(plain, &toolCall{ToolCall: c, key: t.key("tool:%d:%d", t.round, i), tool: t.tool(c.Name), args: c.Args})
		}
	}
	return plain, hands
}

func (t *turn) offers(name string) bool {
	return slices.ContainsFunc(t.ways.tools, func(w model.Tool) bool { return w.Name == name })
}

// unknownTool tells the model which tools there are.
func (t *turn) unknownTool(name string) error {
	var names []string
	for _, o := range t.offered() {
		names = append(names, o.Name)
	}
	if names == nil {
		return fmt.Errorf("there is no tool %q, nor any other one; answer without", name)
	}
	return fmt.Errorf("there is no tool %q; there are: %s", name, strings.Join(names, ", "))
}

// handOver makes the command of a call. Arguments that are of no use are told
// the model as the call's result.
func (t *turn) handOver(h *hand) error {
	var c handoffs.Command
	var err error
	if h.Name == finishTool && h.target == "" {
		c, err = finishCommand(h.Args)
	} else {
		c, err = t.handCommand(h)
	}
	if err == nil {
		t.commands = append(t.commands, asked{call: h.ID, command: c})
		return nil
	}
	var wrong *handoffs.CommandError
	if !errors.As(err, &wrong) && !errors.Is(err, errFinish) {
		return err
	}
	t.addResult(&toolCall{ToolCall: h.ToolCall, key: "hand:" + h.ID, result: toolResult{Text: "Error: " + err.Error(), Failed: true, At: t.now()}})
	return nil
}

// handCommand makes the command of a call of a handoff tool.
func (t *turn) handCommand(h *hand) (handoffs.Command, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(h.Args, &args); err != nil || args == nil {
		args = map[string]json.RawMessage{}
	}
	if h.target != "" {
		args["targetAgentId"], _ = json.Marshal(h.target)
	} else {
		t.mendTarget(args)
	}
	maps.DeleteFunc(args, func(_ string, v json.RawMessage) bool { return string(v) == "null" }) // as models write what they leave out
	t.mendKind(args)
	data, err := json.Marshal(args)
	if err != nil {
		return handoffs.Command{}, fmt.Errorf("nodes: %w", err)
	}
	c, err := t.ways.spec.Command(data)
	c.Kind = t.handoffs.Kind
	return c, err
}

// mendKind writes whether control returns, where the model does not choose it:
// because it is fixed, or because only calls are possible.
func (t *turn) mendKind(args map[string]json.RawMessage) {
	const key = "returnControl"
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(t.ways.spec.Schema, &schema) != nil {
		return
	}
	switch fixed := t.handoffs.Kind; {
	case schema.Properties[key] == nil:
		if fixed != "" || string(args[key]) == "false" {
			delete(args, key)
		}
	case fixed != "":
		args[key] = json.RawMessage(fmt.Sprint(fixed == handoffs.Call))
	case args[key] == nil && slices.Contains(schema.Required, key):
		args[key] = json.RawMessage("true")
	}
}

// mendTarget writes a target as the team does, if the model has its letters or
// spaces otherwise. One that nobody has is left to be rejected.
func (t *turn) mendTarget(args map[string]json.RawMessage) {
	var name string
	if json.Unmarshal(args["targetAgentId"], &name) != nil {
		return
	}
	if p, _, ok := t.seat.Policy.Registry.Lookup(name); ok {
		args["targetAgentId"], _ = json.Marshal(p.ID)
	}
}
