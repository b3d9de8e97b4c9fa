package expression

import (
	"strconv"

	"github.com/graphrun/graphrun/internal/topo"
)

// maxShown is the longest name, in characters, that is shown whole.
const maxShown = 64

// didYouMean is a hint that names the nearest of the names, or nothing where
// none is near.
func didYouMean(word string, names []string) string {
	near, ok := topo.Nearest(word, names)
	if !ok {
		return ""
	}
	return "did you mean " + strconv.Quote(near) + "?"
}
