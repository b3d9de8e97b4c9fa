package handoffs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestComparison(t *testing.T) {
	for _, c := range []struct {
		have any
		op   string
		want any
		is   bool
	}{
		{int64(3), ">=", int64(3), true}, {int64(2), ">=", int64(3), false}, {2.5, "<", int64(3), true}, {3, "==", 3.0, true},
		{int64(math.MaxInt64), "==", float64(math.MaxInt64), false}, {int64(math.MaxInt64), "<", float64(math.MaxInt64), true},
		{math.NaN(), "==", 1.0, false}, {math.NaN(), "<", 1.0, false}, {uint8(7), ">", int64(6), true},
		{"b", ">", "a", true}, {"a", ">=", "a", true}, {"a", "<", int64(3), false}, {"3", "==", int64(3), false}, {"a", "!=", int64(3), true},
		{nil, "==", nil, true}, {nil, "!=", nil, false}, {int64(0), "!=", nil, true}, {nil, "<", int64(1), false}, {nil, ">=", nil, false},
		{true, "==", true, true}, {true, "<", false, false}, {[]any{int64(1)}, "==", []any{int64(1)}, true}, {[]any{}, "!=", []any{int64(1)}, true},
		{int64(1), "=", int64(1), false},
	} {
		is := Comparison{"x", c.op, c.want}
		require.Equal(t, c.is, is.with(c.have), "%v %s %v", c.have, c.op, c.want)
	}
}

func TestCompare(t *testing.T) {
	g := Compare([]Comparison{{"quotes", ">=", int64(3)}, {"client", "!=", nil}}, []Comparison{{"urgent", "==", true}, {"quotes", "!=", int64(0)}})
	require.Equal(t, "quotes >= 3 and client is set, or urgent == true and quotes != 0", g.Text)
	for _, c := range []struct {
		facts   map[string]any
		holds   bool
		because string
	}{
		{map[string]any{"quotes": int64(3), "client": "c1"}, true, `quotes = 3, client = "c1", urgent is not set`},
		{map[string]any{"quotes": int64(3)}, false, "quotes = 3, client is not set, urgent is not set"},
		{map[string]any{"quotes": int64(1), "urgent": true}, true, "quotes = 1, client is not set, urgent = true"},
	} {
		holds, because, err := g.Holds(factsOf(c.facts))
		require.NoError(t, err)
		require.Equal(t, c.holds, holds)
		require.Equal(t, c.because, because)
	}
	require.Equal(t, "no client", Compare([]Comparison{{"client", "==", nil}}).Text)
	holds, because, _ := Compare().test(nil)
	require.False(t, holds)
	require.Equal(t, "it never holds", because)
	holds, _, _ = Compare([]Comparison{}).test(nil)
	require.True(t, holds)
}

func TestGuardTellsItsText(t *testing.T) {
	g := &Guard{Text: "enough quotes", Holds: func(Facts) (bool, string, error) { return true, "", nil }}
	_, because, _ := g.test(nil)
	require.Equal(t, "enough quotes", because)
	g.Holds = func(Facts) (bool, string, error) { return false, "", nil }
	_, because, _ = g.test(nil)
	require.Equal(t, "it needs enough quotes", because)
	for _, none := range []*Guard{nil, {}, {Range: [][]Comparison{}}} {
		holds, _, err := none.test(nil)
		require.True(t, holds)
		require.NoError(t, err)
	}
}

func TestFactAt(t *testing.T) {
	f := factsOf(map[string]any{
		"plain": 1, "a.b": 2, "none": nil, "fired": map[string]any{"6.1": int64(2)},
		"deep": map[string]any{"x": map[string]any{"y": "z", "n": nil}, "s": "t"},
	})
	for path, want := range map[string]any{"plain": 1, "a.b": 2, "deep.x.y": "z", "fired.6.1": int64(2), "deep.s": "t"} {
		v, ok := factAt(f, path)
		require.True(t, ok, path)
		require.Equal(t, want, v)
	}
	for _, path := range []string{"none", "deep.x.n", "deep.x.q", "deep.s.t", "nothing", "nothing.x", "plain.x", ""} {
		_, ok := factAt(f, path)
		require.False(t, ok, path)
	}
	_, ok := factAt(nil, "x")
	require.False(t, ok)
}

// TestGuardsOfFixture: what Lint is told of the guards is what they do.
func TestGuardsOfFixture(t *testing.T) {
	values := []any{nil, "Ada", "sheets", "avinode", "gmail", "CLIENT_DATA_COMPLETE", int64(2), int64(3), int64(4)}
	for _, p := range []*Policy{jetvision(), mended()} {
		for _, r := range p.Rules.List {
			if r.When == nil {
				continue
			}
			for _, a := range values {
				for _, b := range values {
					facts := map[string]any{}
					for i, v := range []any{a, b} {
						fields := [][]string{{"client_name", "client_id", "quotes", "proposals", "service"}, {"client_email", "trigger"}}[i]
						for _, field := range fields {
							if v != nil {
								facts[field] = v
							}
						}
					}
					holds, _, err := r.When.Holds(factsOf(facts))
					require.NoError(t, err)
					require.Equal(t, holds, rangeHolds(r.When.Range, factsOf(facts)), "rule %s: %v", r.Name, facts)
				}
			}
		}
	}
}

// randomFact draws from few values, so that equal ones come often.
func randomFact(r *rand.Rand) any {
	switch r.IntN(7) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return []string{"", "a", "a\x00", "b", "bb"}[r.IntN(5)]
	case 3:
		return float64(r.IntN(8)) / 2
	case 4:
		return []any{int64(r.IntN(2))}
	}
	return int64(r.IntN(5))
}

// TestSamplesStandForAll: for every value there is a sample that no
// comparison tells from it.
func TestSamplesStandForAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ops := []string{"==", "!=", "<", "<=", ">", ">="}
	for range 3000 {
		var cs []Comparison
		var constants []any
		for range r.IntN(4) {
			c := Comparison{"x", ops[r.IntN(len(ops))], randomFact(r)}
			cs, constants = append(cs, c), append(constants, c.Value)
		}
		samples := lintSamples(constants)
		for range 10 {
			v := randomFact(r)
			found := false
			for _, s := range samples {
				same := true
				for i := range cs {
					same = same && cs[i].with(s) == cs[i].with(v)
				}
				found = found || same
			}
			require.True(t, found, "%v: no sample of %v stands for %#v", cs, samples, v)
		}
	}
}
