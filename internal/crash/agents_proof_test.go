package crash_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// paidFor is an account of three lives, the first two of which were killed.
func paidFor() (*account, []string) {
	return &account{
		paid: map[string][]int{"answer-00.": {1}, "answer-01.": {1, 2, 3}, "effect of look:a": {2, 3}},
		kept: map[string]int{"answer-00.": 1, "answer-01.": 3, "effect of look:a": 3},
	}, []string{"answer-00.", "answer-01.", "effect of look:a"}
}

// TestTheAccountSeesWhatWasPaidAgain spoils an account.
func TestTheAccountSeesWhatWasPaidAgain(t *testing.T) {
	t.Parallel()
	a, due := paidFor()
	require.NoError(t, a.check(due))
	require.Equal(t, 3, a.again())
	for want, spoil := range map[string]func(a *account){
		`"answer-00." was kept in life 1, and paid again: in the lives [1 2]`: func(a *account) { a.paid["answer-00."] = []int{2, 1} },
		`"effect of look:a" was kept in life 2, and paid again`:               func(a *account) { a.kept["effect of look:a"] = 2 },
		`"answer-01." was paid twice in one of the lives [1 3 3]`:             func(a *account) { a.paid["answer-01."] = []int{1, 3, 3} },
		`"answer-01." was paid in the lives [], and kept in life 3`:           func(a *account) { delete(a.paid, "answer-01.") },
		`"effect of look:a" was paid in the lives [2 3], and kept in life 0`:  func(a *account) { delete(a.kept, "effect of look:a") },
		`"effect of look:b" is nothing that was paid undisturbed`:             func(a *account) { a.paid["effect of look:b"] = []int{1} },
		`"answer-00." was paid 2 times, with 0 kills before it was kept`:      func(a *account) { a.paid["answer-00."] = []int{0, 1} },
	} {
		t.Run(want, func(t *testing.T) {
			a, due := paidFor()
			spoil(a)
			require.ErrorContains(t, a.check(due), want)
		})
	}
}

// TestTheSuffererSeesWhatIsWrong kills one process, lets the next one come to the
// end, and spoils what is there.
func TestTheSuffererSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	e, err := errandOf("team")
	require.NoError(t, err)
	w := undisturbedErrand(t, e, graph.DurabilitySync)
	s, err := newSufferer(t, w)
	require.NoError(t, err)
	require.NoError(t, s.suffer(t.Context(), []hit{{modelHalfway, 2}}))
	require.Equal(t, []instant{modelHalfway}, s.kills)
	require.Equal(t, 1, s.again(), "the answer that was cut off is asked for again")
	require.Equal(t, map[int]int{1: 1, 2: len(w.due) - 1}, livesOf(s.account))

	effects := filepath.Join(s.dir, "effects")
	lines, err := os.ReadFile(effects)
	require.NoError(t, err)
	first, rest, _ := strings.Cut(strings.TrimPrefix(string(lines), "\n"), "\n")
	_, name, _ := strings.Cut(first, "\t")
	for want, spoilt := range map[string]string{
		"and paid again: in the lives [2 3]": string(lines) + "\n3\t" + name,
		"was paid twice in one of the lives": string(lines) + "\n" + first,
		"was paid in the lives []":           rest,
		"is nothing that was paid":           string(lines) + "\n2\tcall\tlook:b" + lineEnd,
	} {
		require.NoError(t, os.WriteFile(effects, []byte(spoilt), 0o600))
		require.ErrorContains(t, s.settle(t.Context()), want)
	}
	require.NoError(t, os.WriteFile(effects, []byte(string(lines)+"\n3\t"+name[:3]), 0o600))
	require.NoError(t, s.settle(t.Context()), "what was cut off was not noted")

	s.x.keep(&request{life: 2, text: s.x.requests()[0].text})
	require.ErrorContains(t, s.settle(t.Context()), `"answer-00." was kept in life 1, and paid again: in the lives [1 2]`)
	s.x.keep(&request{life: 2, text: "another one"})
	require.ErrorContains(t, s.settle(t.Context()), "life 2 asks what was not asked undisturbed: another one")

	s.dir = t.TempDir()
	require.ErrorContains(t, s.visit(t.Context(), past, func(_ *checkpoint.Loaded, c *chronicle) error { return s.equals(c) }), "there is no thread")
}

// livesOf counts what was kept by the life that has kept it.
func livesOf(a *account) map[int]int {
	out := map[int]int{}
	for _, life := range a.kept {
		out[life]++
	}
	return out
}
