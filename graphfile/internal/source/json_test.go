package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// randomValue makes a value of the kinds JSON has, with the texts and numbers
// that are hard to read.
func randomValue(r *rand.Rand, depth int) any {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return randomInt(r)
	case 3:
		return randomFloat(r)
	case 4, 5:
		return randomText(r)
	case 6:
		list := []any{}
		for range r.IntN(5) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	default:
		dict := map[string]any{}
		for range r.IntN(5) {
			dict[randomText(r)] = randomValue(r, depth-1)
		}
		return dict
	}
}

func randomInt(r *rand.Rand) int64 {
	edges := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 53, 1<<53 + 1}
	if r.IntN(3) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return int64(r.Uint64() >> r.IntN(64))
}

func randomFloat(r *rand.Rand) float64 {
	for {
		f := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			f = r.NormFloat64()
		}
		if !math.IsNaN(f) && !math.IsInf(f, 0) && f != math.Trunc(f) {
			return f
		}
	}
}

func randomText(r *rand.Rand) string {
	hard := []string{"", "null", "true", "1", "~", "<<", "a: b", " #", "- ", "?", "*a", "&a", "!", "\x00", "\x7f", "\u0085", "\u2028", "\ufeff", "\ufffd", "😀", "é", "\t", "\n", "\r\n", `\`, `"`, "'", "/", "{", "}", "[", "]", ",", " ", "\uffff", "---", "${x}"}
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(hard[r.IntN(len(hard))])
	}
	if r.IntN(3) == 0 {
		b.WriteRune(rune(r.IntN(0xd800)))
	}
	return b.String()
}

// plain reads JSON with encoding/json, by the rules of this package for numbers.
func plain(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	return numbers(t, v)
}

func numbers(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			i, err := v.Int64()
			require.NoError(t, err)
			return i
		}
		f, err := v.Float64()
		require.NoError(t, err)
		return f
	case []any:
		for i := range v {
			v[i] = numbers(t, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(t, v[k])
		}
	}
	return v
}

func TestRandomJSON(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		v := randomValue(r, 5)
		text, err := json.Marshal(v)
		require.NoError(t, err)
		switch i % 4 {
		case 1:
			text, err = json.MarshalIndent(v, "", "\t")
		case 2:
			text, err = json.MarshalIndent(v, " ", "  ")
		case 3:
			text = []byte(escapeAll(string(text)))
		}
		require.NoError(t, err)
		f, err := source.Parse("f.json", text, source.Limits{})
		require.NoError(t, err, "%q", text)
		want := plain(t, text)
		require.Equal(t, want, f.Root.Any(), "%q", text)
		again, err := f.Root.MarshalJSON()
		require.NoError(t, err)
		f, err = source.Parse("f.json", again, source.Limits{})
		require.NoError(t, err, "%q", again)
		require.Equal(t, want, f.Root.Any(), "%q", again)
	}
}

// escapeAll writes every character outside ASCII as \u, in pairs if need be,
// and every slash as \/.
func escapeAll(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "/", `\/`) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}

func TestJSONPositions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text, err := json.MarshalIndent(randomValue(r, 4), "", "\t")
		require.NoError(t, err)
		f, err := source.Parse("f.json", text, source.Limits{})
		require.NoError(t, err)
		assertAt(t, strings.Split(string(text), "\n"), f.Root)
	}
}

// assertAt checks that each value stands in the text where it says.
func assertAt(t *testing.T, lines []string, n *source.Node) {
	t.Helper()
	at := func(p source.Pos) string { return string([]rune(lines[p.Line-1])[p.Col-1:]) }
	starts := map[source.Kind]string{source.List: "[", source.Map: "{", source.String: `"`}
	want, ok := starts[n.Kind]
	if !ok {
		want = n.Text
	}
	assert.True(t, strings.HasPrefix(at(n.Pos), want), "%q at %s", want, n.Pos)
	for _, item := range n.Items {
		assertAt(t, lines, item)
	}
	for _, e := range n.Entries {
		var key string
		require.NoError(t, json.NewDecoder(strings.NewReader(at(e.KeyPos))).Decode(&key))
		assert.Equal(t, e.Key, key)
		assertAt(t, lines, e.Value)
	}
}

func TestJSONNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-0", "1.0", "1e2", "1E+2", "-1.5e-300", "1e308", "4.9e-324", "0.1", "9007199254740993", "1e-400"} {
		f := parse(t, text)
		assert.Equal(t, plain(t, []byte(text)), f.Root.Any(), text)
	}
}

func TestDeepJSON(t *testing.T) {
	t.Parallel()
	const depth = 10_000
	text := []byte(strings.Repeat(`{"a":[`, depth/2) + "1" + strings.Repeat("]}", depth/2))
	f, err := source.Parse("f.json", text, source.Limits{Depth: depth})
	require.NoError(t, err)
	again, err := f.Root.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	_, err = source.Parse("f.json", text, source.Limits{Depth: depth - 1})
	assert.ErrorContains(t, err, "more than 9999 deep")
}
