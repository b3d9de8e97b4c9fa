package crash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// calm is what a session comes to that nobody disturbs.
type calm struct {
	*reference
	table []string // the rows for SQL, with the commits they came with
	sent  []string // what others were told
	count [len(momentNames)]int64
}

// calmly plays a session to its end on a file.
func calmly(t *testing.T, name string, mode graph.Durability) *calm {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	d := &death{}
	p, err := newPlay(name, dir, mode, d)
	require.NoError(t, err)
	s, err := sqlite.Open(ctx, fileIn(dir), &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	require.NoError(t, p.finish(ctx, s))
	end, err := read(ctx, p.file.Graph(), s, thread, whole)
	require.NoError(t, err)
	c := &calm{reference: &reference{chronicle: end, mode: mode, every: end.rows}}
	require.Equal(t, end.heads[""], d.held.Head)
	require.NoError(t, p.plans(ctx, s))
	c.table, err = commitRows(ctx, dir)
	require.NoError(t, err)
	var again int
	c.sent, again, err = p.post.sent()
	require.NoError(t, err)
	require.Zero(t, again)
	require.NoError(t, s.Close())
	for m := range c.count {
		c.count[m] = d.count[m].Load()
	}
	return c
}

// blow is a moment at which a process dies.
type blow struct {
	When moment
	N    int64
}

func (b blow) String() string { return fmt.Sprint(momentNames[b.When], " ", b.N) }

// spare is how many moments more there may be than undisturbed: results of tasks
// side by side are appended one by one or several at once, and others are told of
// one step or of several at once.
const spare = 8

// blows are all moments at which a session can be disturbed, and some more.
func (c *calm) blows() (out []blow) {
	for m, n := range c.count {
		for k := range n + spare {
			out = append(out, blow{moment(m), k + 1})
		}
	}
	return out
}

// sure says that a blow falls, whatever comes first of what is done side by
// side: others are told at least once, and if the session is written step by step
// each commit is an append of its own.
func (c *calm) sure(b blow) bool {
	return b.N <= 1 || c.mode == graph.DurabilitySync && b.When != afterTelling && b.N <= int64(len(c.rows))
}

// TestSessionsDoWhatTheyAreFor makes sure that there is something to disturb:
// each session tells others of something, and leaves rows if its agents hand off.
func TestSessionsDoWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	for _, s := range sessions {
		t.Run(s.file, func(t *testing.T) {
			c := calmly(t, s.file, graph.DurabilitySync)
			require.NoError(t, c.equals(calmly(t, s.file, graph.DurabilityAsync).chronicle))
			require.Equal(t, s.alone, len(c.table) == 0)
			require.Equal(t, strings.Contains(c.values, `"plan":{`), strings.Contains(c.values, `"event":"over"`), "plans come to their end")
			require.NotEmpty(t, c.sent)
			require.Positive(t, c.count[afterTelling])
			require.Equal(t, 1+len(s.moves), strings.Count(strings.Join(c.logs, " "), "input"))
			require.GreaterOrEqual(t, c.count[beforeAppend], int64(len(c.rows)))
			require.Equal(t, c.count[beforeAppend], c.count[afterAppend])
			for _, row := range c.table {
				require.Contains(t, row, " status=")
			}
		})
	}
}
