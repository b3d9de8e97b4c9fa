package specialist

import (
	"fmt"
	"strings"
)

// Guidance is a text for the system prompt of a generalist: who the specialists
// are, when to hand to them, and that the generalist stays the one who talks with
// the user. Without specialists it is "".
func Guidance(agents []AgentCapabilityProfile) string {
	if len(agents) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Specialists\n\nYou can hand parts of the work to specialists with the tool " + ToolName + ":\n\n")
	for _, a := range agents {
		fmt.Fprintf(&b, "- %s (%s): %s\n", a.AgentName, a.Specialization, a.Description)
		if len(a.Capabilities) > 0 {
			fmt.Fprintf(&b, "  Capabilities: %s\n", strings.Join(a.Capabilities, ", "))
		}
		if len(a.Examples) > 0 {
			fmt.Fprintf(&b, "  Examples: %s\n", strings.Join(a.Examples, "; "))
		}
	}
	b.WriteString(`
Hand over what needs knowledge, tools or rights that you do not have, and what a specialist does better. Do yourself what you can do well.
Give the specialist all it needs: it knows nothing but what you tell it.
You remain the user's only partner: take what specialists say, check it, and put it together into one answer.
`)
	return b.String()
}
