package handoffs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrCheckName is behind errors about names that do not make a list of checks.
var ErrCheckName = errors.New("handoffs: wrong name of a check")

// DefaultChecks returns the pipeline for Policy.Checks in its usual order:
// syntax, exists, available, self, system, selectable, accepts, capability, edge,
// transition, loop, limits, budget, breaker, approval. The slice is the caller's.
//
// Limits hold only where limits and budget are among the checks.
func DefaultChecks() []Check {
	return []Check{
		{"syntax", checkSyntax},
		{"exists", checkExists},
		{"available", checkAvailable},
		{"self", checkSelf},
		{"system", checkSystem},
		{"selectable", checkSelectable},
		{"accepts", checkAccepts},
		{"capability", checkCapability},
		{"edge", checkEdge},
		{"transition", checkTransition},
		{"loop", checkLoop},
		{"limits", checkLimits},
		{"budget", checkBudget},
		{"breaker", checkBreaker},
		{"approval", checkApproval},
	}
}

// UserChecks returns the pipeline for Policy.UserChecks: DefaultChecks without
// system, capability and loop, which do not bind a user who chooses an agent.
// The slice is the caller's.
func UserChecks() []Check {
	return slices.DeleteFunc(DefaultChecks(), func(k Check) bool {
		return k.Name == "system" || k.Name == "capability" || k.Name == "loop"
	})
}

// planChecks are those of the checks that bind a plan's steps: a plan is a road
// of its own, as long as it says, so edges, loops and the number of handoffs do
// not bind it, nor whom an agent may hand to.
func planChecks(checks []Check) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(k Check) bool {
		return k.Name == "self" || k.Name == "system" || k.Name == "edge" || k.Name == "loop" || k.Name == "limits"
	})
}

// CheckNamed returns one of DefaultChecks by its name; false: there is none.
func CheckNamed(name string) (Check, bool) {
	for _, k := range DefaultChecks() {
		if k.Name == name {
			return k, true
		}
	}
	return Check{}, false
}

// ChecksNamed returns checks of DefaultChecks by their names, in the order of
// the names. Names that there are not and names that come twice are one error,
// an ErrCheckName.
func ChecksNamed(names ...string) ([]Check, error) {
	out := make([]Check, 0, len(names))
	var problems []string
	for i, name := range names {
		k, ok := CheckNamed(name)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("there is no check %q", name))
		case slices.Index(names, name) < i:
			problems = append(problems, fmt.Sprintf("%q comes twice", name))
		default:
			out = append(out, k)
		}
	}
	if problems != nil {
		return nil, fmt.Errorf("%w: %s; the checks are %s", ErrCheckName, strings.Join(problems, ", "), checkNames())
	}
	return out, nil
}

func checkNames() string {
	var names []string
	for _, k := range DefaultChecks() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}
