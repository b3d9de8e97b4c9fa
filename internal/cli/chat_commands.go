package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// slashCommand is what a line that begins with a slash does.
type slashCommand struct {
	name, args, about string
	do                func(ctx context.Context, arg string) error
}

// commands are all commands of the chat.
func (c *chat) commands() []slashCommand {
	return []slashCommand{
		{"agent", "[NAME]", "let an agent have the next message; without a name: who has the conversation", c.chooseAgent},
		{"agents", "", "list the agents", func(ctx context.Context, _ string) error { return c.listAgents(ctx) }},
		{"back", "[TOKEN]", "let agents go on that the choice of another one has set aside", c.goBack},
		{"history", "", "show the conversation", func(ctx context.Context, _ string) error { return c.showHistory(ctx) }},
		{"state", "[FIELD]", "show the thread's state", c.showState},
		{"thread", "", "show the thread's id, and how to go on with it", func(context.Context, string) error { return c.showThread() }},
		{"retry", "", "go on behind a failure, a stop or a pause", func(ctx context.Context, _ string) error { return c.retry(ctx) }},
		{"help", "", "show this list", func(context.Context, string) error { return c.showHelp() }},
		{"quit", "", "end the chat", func(context.Context, string) error { return errChatOver }},
	}
}

// command does what a command says.
func (c *chat) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	var names []string
	for _, one := range c.commands() {
		switch {
		case one.name == name && one.args == "" && arg != "":
			c.tell("/%s takes nothing behind it, but %q was given", name, arg)
			return nil
		case one.name == name:
			return one.do(ctx, arg)
		}
		names = append(names, one.name)
	}
	c.tell("unknown command %q; /help lists them, // begins a message with a slash%s", "/"+name, slashed(didYouMean(name, names)))
	return nil
}

// slashed puts the slash before the name that a hint quotes.
func slashed(hint string) string { return strings.Replace(hint, `"`, `"/`, 1) }

func (c *chat) say(text string) error {
	_, err := fmt.Fprint(c.reply, text)
	return unwritten(err)
}

func (c *chat) showHelp() error {
	var b strings.Builder
	for _, one := range c.commands() {
		fmt.Fprintf(&b, "%s %s\n", pad("/"+one.name+" "+one.args, 15), one.about)
	}
	return c.say(b.String() + "a line that ends with \\ goes on with the next one; \"\"\" begins and ends a message of several lines\n")
}

// replyInk is for what is no part of the run.
func (c *chat) replyInk() ink {
	if c.output.value == "jsonl" {
		return c.inkFor(c.Terminal.Stderr)
	}
	return c.inkFor(c.Terminal.Stdout)
}

// chooseAgent gives the next message to an agent.
func (c *chat) chooseAgent(ctx context.Context, name string) error {
	if name == "" {
		return c.showAgent(ctx)
	}
	id, err := c.selectable(name)
	if err != nil {
		c.tell("%s", err.Error())
		return nil
	}
	c.agent = id
	text := "the next message goes to " + id
	if c.asked != nil {
		c.asked = nil
		text += "; what was asked is set aside with it"
	}
	c.tell("%s", text)
	return nil
}

// showAgent says who has the conversation, and who can be chosen.
func (c *chat) showAgent(ctx context.Context) error {
	team := c.defs.Team()
	if team == nil {
		c.tell("the graph file has no agents")
		return nil
	}
	text := "no agent has begun"
	if active := c.active(ctx); active != "" {
		text = active + " has the conversation"
	}
	if c.agent != "" {
		text += "; the next message goes to " + c.agent
	}
	return c.say(text + "; " + selectableOf(team.Manager().Policy().Registry) + "\n")
}

// active is the agent that has the conversation; "" before the first run.
func (c *chat) active(ctx context.Context) string {
	s, err := c.graph.State(ctx, c.thread, "")
	if err != nil {
		return ""
	}
	look, err := handoffs.Records{Schema: c.defs.Schema()}.Look(&s.Values)
	if err != nil || look.Desk == nil {
		return ""
	}
	return look.Desk.Active
}

func (c *chat) listAgents(ctx context.Context) error {
	team := c.defs.Team()
	if team == nil {
		c.tell("the graph file has no agents")
		return nil
	}
	active := c.active(ctx)
	t := &table{ink: c.replyInk(), rows: [][]string{{"AGENT", "NAME", "STATE", "ABOUT"}}}
	for p := range team.Manager().Policy().Registry.All() {
		var is []string
		if p.ID == active {
			is = append(is, "active")
		}
		if p.ID == c.agent {
			is = append(is, "next")
		}
		if p.Selectable {
			is = append(is, "can be chosen")
		}
		about := slices.DeleteFunc([]string{p.Description, strings.Join(p.Capabilities, ", ")}, func(s string) bool { return s == "" })
		t.rows = append(t.rows, []string{oneLine(p.ID), oneLine(p.Title()), strings.Join(is, ", "), clip(oneLine(strings.Join(about, "; ")), 60)})
	}
	return c.say(t.String())
}

// goBack lets agents go on that were set aside.
func (c *chat) goBack(ctx context.Context, token string) error {
	if c.defs.Team() == nil {
		c.tell("the graph file has no agents")
		return nil
	}
	c.agent = ""
	return c.back(ctx, token)
}

// snapshot is where the thread stands; false, which was told, where nothing is known.
func (c *chat) snapshot(ctx context.Context) (*snapshot, bool) {
	s, err := c.graph.State(ctx, c.thread, "")
	if err != nil {
		c.tell("%s", cause(err))
	}
	return s, err == nil
}

func (c *chat) showHistory(ctx context.Context) error {
	if c.sum == nil {
		c.tell("nothing was said yet")
		return nil
	}
	s, ok := c.snapshot(ctx)
	if !ok {
		return nil
	}
	talk, err := c.conversation(&s.Values)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	return c.say(c.show.cast.transcript(c.replyInk(), talk))
}

// showState shows the state, or one field of it.
func (c *chat) showState(ctx context.Context, field string) error {
	fields := c.defs.Schema().Fields()
	if field != "" && !slices.Contains(fields, field) {
		c.tell("the state has no field %q%s", field, didYouMean(field, fields))
		return nil
	}
	if c.sum == nil {
		c.tell("nothing has run yet")
		return nil
	}
	s, ok := c.snapshot(ctx)
	if !ok {
		return nil
	}
	if field != "" {
		return c.showField(&s.Values, field)
	}
	values, err := valuesOf(s)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	return c.yaml(shown(values, c.hidden))
}

func (c *chat) showField(r *state.Record, field string) error {
	value, _ := r.Get(field)
	data, err := state.AppendAny(nil, map[string]any{field: value})
	if err != nil {
		return &exit{ExitFailed, err}
	}
	return c.yaml(data)
}

func (c *chat) yaml(object []byte) error {
	text, err := renderValues(object, c.replyInk())
	if err != nil {
		return &exit{ExitFailed, err}
	}
	return c.say(string(text))
}

func (c *chat) showThread() error {
	text := "thread " + c.thread + " in " + c.kept.text + "\n"
	if !c.passing(c.kept.place) {
		text += c.chatAgain() + "\n"
	}
	return c.say(text)
}
