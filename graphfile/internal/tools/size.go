package tools

import (
	"math"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// mostSize is the largest bound of an output.
const mostSize = 64 << 20

// size reads a number of bytes, or a text like 64KB, where a KB is 1024 bytes.
func (t *Spec) size(n *source.Node) int {
	value, unit := n.Int, int64(1)
	ok := n.Kind == source.Int
	if n.Kind == source.String {
		text := strings.TrimSpace(n.Text)
		for name, bytes := range map[string]int64{"KB": 1 << 10, "KiB": 1 << 10, "MB": 1 << 20, "MiB": 1 << 20} {
			if rest, found := strings.CutSuffix(text, name); found {
				text, unit = strings.TrimSpace(rest), bytes
				break
			}
		}
		var err error
		value, err = strconv.ParseInt(strings.TrimSuffix(text, "B"), 10, 64)
		ok = err == nil
	}
	if !ok || value < 1 || value > math.MaxInt32 || value*unit > mostSize {
		t.page.Rep.Errorf(n.Pos, `"max_output": expected a size from 1 to 64MB`).Hint = "write it like 64KB or 2MB, or as a number of bytes"
		return usualOutput
	}
	return int(value * unit)
}
