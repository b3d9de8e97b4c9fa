package handoffs

import (
	"fmt"
	"slices"
	"strings"
)

// requiredKey is the key of a payload that names the capability that a handoff
// for CapabilityMatch is about.
const requiredKey = "requiredCapability"

// checkCapability rejects handoffs to agents that lack a capability that the
// command needs.
func checkCapability(c *Case) []Failure {
	if !c.aimed() {
		return nil
	}
	var lacks []string
	lack := func(capability string) {
		if !c.Target.Has(capability) && !slices.Contains(lacks, capability) {
			lacks = append(lacks, capability)
		}
	}
	lack(c.Command.Capability)
	for _, n := range c.Command.Needs {
		lack(n)
	}
	if v, is := c.Command.Payload[requiredKey]; is && c.Command.Reason == CapabilityMatch {
		if name, text := v.(string); text {
			lack(name)
		} else {
			lack(fmt.Sprint(v)) // no agent has what is not a name
		}
	}
	if lacks == nil {
		return nil
	}
	return []Failure{c.failure(CodeCapability, "capability", strings.Join(lacks, ", "))}
}
