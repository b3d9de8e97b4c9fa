package checkpoint_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func TestAllThatIsWrongWithAnItemIsTold(t *testing.T) {
	t.Parallel()
	err := checkpoint.CheckItem(&checkpoint.Item{NS: []string{"a", "", "b\x00"}, Value: []byte(`{`), TTL: -1})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	require.EqualError(t, err, `checkpoint: invalid: item "": part 2 of its namespace, "", is empty or has a NUL byte
item "": part 3 of its namespace, "b\x00", is empty or has a NUL byte
an item of namespace ["a" "" "b\x00"] has no key
item ["a" "" "b\x00"], "": its value is no JSON value
item ["a" "" "b\x00"], "": it cannot live for -1ns; 0 stands for ever`)
}

func TestItemsAreInOrder(t *testing.T) {
	t.Parallel()
	items := []checkpoint.Item{
		{}, {Key: "z"}, {NS: []string{"a"}, Key: "a"}, {NS: []string{"a"}, Key: "b"}, {NS: []string{"a", "a"}, Key: "a"},
		{NS: []string{"a!"}, Key: "a"}, {NS: []string{"aa"}}, {NS: []string{"b"}},
	}
	for i := range items {
		for j := range items {
			got := items[i].Compare(&items[j])
			require.Equal(t, i < j, got < 0, "%v and %v", items[i], items[j])
			require.Equal(t, i == j, got == 0, "%v and %v", items[i], items[j])
		}
	}
}

// fits reports whether a filter of one member fits an object with it.
func fits(t *testing.T, want, value string) bool {
	f, err := checkpoint.NewFilter(map[string][]byte{"m": []byte(want)})
	require.NoError(t, err)
	return f.Fits([]byte(`{"m":` + value + `}`))
}

func TestNumbersAreEqualByWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	equal := [][]string{
		{`0`, `-0`, `0.0`, `0e9`, `-0.00E-7`},
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1e1`, `0.001E+3`},
		{`-120`, `-1.2e2`, `-12e1`},
		{`1e400`, `10e399`, `0.1e401`},
		{`12345678901234567890`, `1234567890123456789e1`},
		{`12345678901234567891`}, {`1e99999999999999999999`}, {`1e-99999999999999999999`}, {`"1"`}, {`null`}, {`true`}, {`[1]`}, {`{"1":1}`}, {`[]`}, {`{}`},
	}
	for i, row := range equal {
		for _, a := range row {
			for j, other := range equal {
				for _, b := range other {
					require.Equal(t, i == j, fits(t, a, b), "%s and %s", a, b)
				}
			}
		}
	}
}

func TestFiltersOfNothing(t *testing.T) {
	t.Parallel()
	var none *checkpoint.Filter
	require.True(t, none.Fits([]byte(`1`)))
	empty, err := checkpoint.NewFilter(nil)
	require.NoError(t, err)
	require.True(t, empty.Fits([]byte(`not looked at`)))
	f, err := checkpoint.NewFilter(map[string][]byte{"a": []byte(`1`), "b": []byte(`2`)})
	require.NoError(t, err)
	require.False(t, f.Fits([]byte(`{"a":1}`)))
	require.False(t, f.Fits([]byte(`{"a":1,"b":`)))
	require.False(t, f.Fits([]byte(`[{"a":1,"b":2}]`)))
	require.True(t, f.Fits([]byte(`{"b":2.0,"a":1}`)))
}

// FuzzFilter compares numbers with what arithmetic says of them, and takes
// whatever it is given.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{`1`, `1.0`, `-0`, `1e2`, `{"a":[1]}`, `"x"`, `[`, `1 2`, `0.10e-3`, `120E+1`} {
		f.Add(s, `1e2`)
		f.Add(`120E+1`, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		filter, err := checkpoint.NewFilter(map[string][]byte{"m": []byte(a)})
		require.Equal(t, json.Valid([]byte(a)), err == nil, "%q: %v", a, err)
		if err != nil || !json.Valid([]byte(b)) {
			filter.Fits([]byte(b))
			return
		}
		got := filter.Fits([]byte(`{"m":` + b + `}`))
		if a == b {
			require.True(t, got, "%s is not itself", a)
		}
		if x, y := number(a), number(b); x != nil && y != nil {
			require.Equal(t, x.Cmp(y) == 0, got, "%s and %s", a, b)
		}
	})
}

// number reads a JSON number of a size that one can count with.
func number(s string) *big.Rat {
	var n json.Number
	if json.Unmarshal([]byte(s), &n) != nil || s[0] == '"' || len(s) > 20 {
		return nil
	}
	if f, err := n.Float64(); err != nil || f > 1e30 || f < -1e30 || f != 0 && f < 1e-30 && f > -1e-30 {
		return nil
	}
	r, _ := new(big.Rat).SetString(string(n))
	return r
}
