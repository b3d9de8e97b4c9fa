package checkpoint_test

import (
	"strings"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outer, ns string
		seq       int64
		ok        bool
	}{
		{"", "3.0", 3, true}, {"", "3.0/17.2", 3, true}, {"3.0", "3.0/17.2", 17, true}, {"3.0", "3.0/17.2/1.1", 17, true},
		{"3.0", "3.0", 0, false}, {"3.0", "3.1/17.2", 0, false}, {"3.0", "3.01/17.2", 0, false}, {"3.0/17.2", "3.0", 0, false},
		{"", "", 0, false}, {"", "x", 0, false}, {"", "x.0", 0, false},
	} {
		seq, ok := checkpoint.Within(c.outer, c.ns)
		require.Equal(t, c.ok, ok, "%q within %q", c.ns, c.outer)
		require.Equal(t, c.seq, seq, "%q within %q", c.ns, c.outer)
	}
}

// FuzzWithin checks that Within finds the commit that Child was told, at any
// depth, and takes whatever it is given.
func FuzzWithin(f *testing.F) {
	f.Add("", "3.0", int64(1), 0, int64(9), 3)
	f.Add("3.0", "x", int64(17), 2, int64(1), 0)
	f.Add("", "10000000000000000000.", int64(48), 0, int64(92), 3)
	f.Fuzz(func(t *testing.T, outer, other string, seq int64, place int, deeper int64, at int) {
		child := checkpoint.Child(outer, seq, place)
		for _, ns := range []string{child, checkpoint.Child(child, deeper, at)} {
			got, ok := checkpoint.Within(outer, ns)
			require.True(t, ok)
			require.Equal(t, seq, got)
		}
		if _, ok := checkpoint.Within(outer, other); ok && outer != "" {
			require.True(t, strings.HasPrefix(other, outer+"/"))
		}
	})
}
