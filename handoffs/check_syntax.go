package handoffs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// checkSyntax rejects commands that are none: of an unknown kind, without what
// their kind needs, with unknown words, without a field that the policy needs,
// or too large.
func checkSyntax(c *Case) []Failure {
	var out []Failure
	for _, what := range [...]string{c.Command.wrongKind(), c.Command.wrongWord()} {
		if what != "" {
			out = append(out, c.failure(CodeSyntax, "value", what))
		}
	}
	if c.handing() {
		for _, name := range c.Policy.Need {
			if !c.has(name) {
				f := c.failure(CodeMissing, "value", name)
				f.Rule = name
				out = append(out, f)
			}
		}
	}
	if what := c.Command.tooLarge(c.Policy.MostPayload); what != "" {
		out = append(out, c.failure(CodeSyntax, "value", what))
	}
	return out
}

// wrongKind says what is missing for the command's kind; "": nothing.
func (c *Command) wrongKind() string {
	switch k := c.kind(); k {
	case Transfer, Call:
		if c.Target == "" && c.Capability == "" {
			return "the handoff has neither a target nor a capability"
		}
	case Spawn:
		return c.wrongSpawn()
	case Wait:
		if u := c.Until; u == nil || len(u.Signals) == 0 && u.For <= 0 {
			return "the wait has neither signals nor a time: it would never end"
		}
	case Escalate, Resume, Return, Refuse, Report:
	default:
		return fmt.Sprintf("there is no kind %q", shortJSON(string(k)))
	}
	return ""
}

// wrongSpawn says what is wrong with the branches of a spawn, or with one of
// them that is looked at for itself.
func (c *Command) wrongSpawn() string {
	if len(c.Branches) == 0 && c.Target == "" && c.Capability == "" {
		return "the spawn has no branches"
	}
	for i := range c.Branches {
		if b := &c.Branches[i]; b.Target == "" && b.Capability == "" {
			return fmt.Sprintf("branch %d has neither a target nor a capability", i+1)
		}
	}
	switch j := &c.Join; {
	case j.Need < 0 || len(c.Branches) > 0 && j.Need > len(c.Branches):
		return fmt.Sprintf("the join needs %d of %d branches", j.Need, len(c.Branches))
	case !knownResolve(j.Resolve):
		return fmt.Sprintf("there is no way %q to resolve conflicts", shortJSON(j.Resolve))
	}
	return ""
}

func knownResolve(how string) bool {
	agent, is := strings.CutPrefix(how, "agent:")
	return is && agent != "" || slices.Contains([]string{"", "fail", "first", "last"}, how)
}

// wrongWord says which word of the command there is not; "": all are known.
func (c *Command) wrongWord() string {
	switch {
	case c.Type != "" && c.Type != CommandType:
		return fmt.Sprintf("the type is %q, not %q", shortJSON(c.Type), CommandType)
	case c.Priority != "" && !slices.Contains(prioritiesOfCommands, c.Priority):
		return fmt.Sprintf("there is no priority %q", shortJSON(string(c.Priority)))
	case c.Actor != "" && !slices.Contains(actorsOfCommands, c.Actor):
		return fmt.Sprintf("there is no actor %q", shortJSON(string(c.Actor)))
	}
	return ""
}

// has reports whether what Policy.Need names is there. Beside fields of the
// command these are "session" and "source", a registered agent. What has an
// unknown name is never there.
func (c *Case) has(name string) bool {
	text := ""
	switch name {
	case "reason":
		text = string(c.Command.Reason)
	case "explanation":
		text = c.Command.Explanation
	case "task":
		text = c.Command.Task
	case "intent":
		text = c.Command.Intent
		if c.Frame != nil {
			text = cmp.Or(text, c.Frame.Intent)
		}
	case "session":
		text = c.Session
	case "source":
		return c.Source != nil
	}
	return strings.TrimSpace(text) != ""
}
