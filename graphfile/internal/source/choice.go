package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// choice is the hint for a name that is not among those allowed.
func choice(name string, allowed []string) string {
	const few = 12
	if near, ok := topo.Nearest(name, allowed); ok {
		return didYouMean(near)
	}
	if len(allowed) == 0 || len(allowed) > few {
		return ""
	}
	quoted := make([]string, len(allowed))
	for i, a := range slices.Sorted(slices.Values(allowed)) {
		quoted[i] = excerpt(a)
	}
	if len(quoted) == 1 {
		return "only " + quoted[0] + " is known"
	}
	last := len(quoted) - 1
	return fmt.Sprintf("known are %s and %s", strings.Join(quoted[:last], ", "), quoted[last])
}
