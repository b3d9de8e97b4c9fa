package jsonwrite

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// thing has a member of each kind.
type thing struct {
	Text   string         `json:"text,omitempty"`
	Must   string         `json:"must"`
	N      int            `json:"n,omitempty"`
	Span   time.Duration  `json:"span,omitempty"`
	Flag   bool           `json:"flag,omitempty"`
	At     time.Time      `json:"at,omitzero"`
	Texts  []string       `json:"texts,omitempty"`
	Counts map[string]int `json:"counts,omitempty"`
	V      any            `json:"v,omitempty"`
	M      map[string]any `json:"m,omitempty"`
	All    map[string]any `json:"all"`
	List   []thing        `json:"list,omitempty"`
}

func (x *thing) write(w *Writer) {
	start := w.Open("")
	w.Text(`,"text":`, x.Text)
	w.Must(`,"must":`, x.Must)
	w.Whole(`,"n":`, x.N)
	w.Span(`,"span":`, x.Span)
	w.Flag(`,"flag":`, x.Flag)
	w.Time(`,"at":`, x.At)
	w.Texts(`,"texts":`, x.Texts)
	w.Counts(`,"counts":`, x.Counts)
	w.Value(`,"v":`, x.V)
	w.Values(`,"m":`, x.M)
	w.MustValues(`,"all":`, x.All)
	w.List(`,"list":`, len(x.List), func(i int) { x.List[i].write(w) })
	w.Shut(start)
}

// written writes a thing, and looks whether it can be written.
func written(t testing.TB, w Writer, x *thing) (string, []Problem) {
	look := w
	look.Look = true
	for look.Pass() {
		x.write(&look)
	}
	w.Buf = []byte("before")
	for w.Pass() {
		x.write(&w)
	}
	require.Equal(t, look.Problems(), w.Problems())
	require.Equal(t, look.Err("who"), w.Err("who"))
	out, err := w.Result("who", []byte("before"))
	require.Equal(t, w.Err("who"), err)
	require.Empty(t, look.Buf)
	if err != nil {
		require.Equal(t, "before", string(out))
	}
	return string(out[len("before"):]), w.Problems()
}

func TestWriterLeavesOutWhatIsEmpty(t *testing.T) {
	t.Parallel()
	got, _ := written(t, Writer{}, &thing{Texts: []string{}, M: map[string]any{}, Counts: map[string]int{}})
	require.Equal(t, `{"must":"","all":null}`, got)
	var w Writer
	w.Shut(w.Open(""))
	w.MustTexts("", nil)
	w.MustFlag("", false)
	w.MustTime("", time.Time{})
	require.Equal(t, `{}[]false"0001-01-01T00:00:00Z"`, string(w.Buf))
}

// FuzzWriterWritesAsEncodingJSONDoes holds what the Writer writes against
// encoding/json, and what any holds against what a state reads.
func FuzzWriterWritesAsEncodingJSONDoes(f *testing.F) {
	f.Add("text", int64(3), int64(1_700_000_000), 1.25, `{"b":[1,true,null,"x\n"],"a":{"c":2.5}}`)
	f.Add("\"\xff", int64(-1), int64(-62_135_596_800), 1e-9, `[]`)
	f.Add("", int64(0), int64(1)<<40, 3.0, `{"":{"":[[]]}}`)
	f.Fuzz(func(t *testing.T, text string, n, seconds int64, fraction float64, value string) {
		v, err := state.ParseAny([]byte(value))
		if err != nil {
			v = value
		}
		small := thing{Text: text, Must: text, N: int(n), Span: time.Duration(n), Flag: n > 0, At: time.Unix(seconds, n&0xffff).UTC()}
		x := small
		x.Texts, x.Counts = []string{text, "b", ""}, map[string]int{text: int(n), "c": 2, "a": 0}
		x.V, x.M, x.All = v, map[string]any{"z": v, text: fraction, "m": n}, map[string]any{}
		x.List = []thing{small, {}}
		got, problems := written(t, Writer{}, &x)
		if problems != nil {
			require.Error(t, badInside(&x), problems)
			return
		}
		require.NoError(t, state.CheckJSON([]byte(got)))
		require.JSONEq(t, asEncodingJSON(t, x), got)
		var back thing
		require.NoError(t, state.ParseInto([]byte(got), &back))
		again, _ := written(t, Writer{}, &back)
		require.Equal(t, got, again)
		require.Equal(t, x.M, back.M)
	})
}

// badInside returns why encoding/json, or package state, would not keep a thing.
func badInside(x *thing) error {
	if _, err := json.Marshal(x); err != nil {
		return err
	}
	_, err := state.AppendAny(nil, []any{x.Text, x.V, x.M})
	return err
}

func TestProblemsAreToldWithTheirPaths(t *testing.T) {
	t.Parallel()
	late := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	for want, x := range map[string]thing{
		"text: the text is not valid UTF-8":                   {Text: "\xff"},
		"texts[1]: the text is not valid UTF-8":               {Texts: []string{"", "\xff"}},
		"counts.\xff: the text is not valid UTF-8":            {Counts: map[string]int{"\xff": 1}},
		"at: Time.AppendText: year outside of range [0,9999]": {At: late},
		"v: int 1 comes back as int64: write int64(1)":        {V: 1},
		"v[1].a: NaN is not a number that JSON can hold":      {V: []any{nil, map[string]any{"a": math.NaN()}}},
		"m.a.b[0]: the text is not valid UTF-8":               {M: map[string]any{"a": map[string]any{"b": []any{"\xff"}}}},
		"m.: -Inf is not a number that JSON can hold":         {M: map[string]any{"": math.Inf(-1)}},
		"list[1].list[0].must: the text is not valid UTF-8":   {List: []thing{{}, {List: []thing{{Must: "\xff"}}}}},
		"all.k: a float32 in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any": {All: map[string]any{"k": float32(1)}},
	} {
		_, problems := written(t, Writer{}, &x)
		require.Len(t, problems, 1)
		require.Equal(t, want, problems[0].Path+": "+problems[0].Text)
		w := Writer{Look: true}
		for w.Pass() {
			x.write(&w)
		}
		require.EqualError(t, w.Err("who"), "who: at "+want)
	}
}

func TestAsManyProblemsAreNotedAsAreWanted(t *testing.T) {
	t.Parallel()
	x := thing{Text: "\xff", N: 1, V: 1, M: map[string]any{"a": float32(2), "b": uint8(3), "c": make(chan int), "d": "\xff"}, Must: "\xff"}
	_, problems := written(t, Writer{Most: 3}, &x)
	require.Equal(t, []string{"text", "must", "v"}, paths(problems))
	_, problems = written(t, Writer{Most: 9, Loose: true}, &x)
	require.Equal(t, []string{"text", "must", "m.c", "m.d"}, paths(problems))
	x = thing{V: 1, M: map[string]any{"a": float32(2), "b": uint8(3)}}
	got, problems := written(t, Writer{Loose: true}, &x)
	require.Empty(t, problems)
	require.Equal(t, `{"must":"","v":1,"m":{"a":2.0,"b":3},"all":null}`, got)
}

func paths(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Path)
	}
	return all
}

func TestWriterEndsAtValuesThatHoldThemselves(t *testing.T) {
	t.Parallel()
	m := map[string]any{}
	m["a"], m["b"] = m, []any{m}
	_, problems := written(t, Writer{Most: 20}, &thing{M: m})
	require.Len(t, problems, 1)
	require.Equal(t, "nested deeper than 1000 levels", problems[0].Text)

	deep := &thing{V: []any{[]any{map[string]any{}}}} // the thing itself is a level
	_, problems = written(t, Writer{Deep: 4}, deep)
	require.Empty(t, problems)
	_, problems = written(t, Writer{Deep: 3}, deep)
	require.Equal(t, []Problem{{"v[0][0]", "nested deeper than 3 levels"}}, problems)
}

func TestStatedWritesAsPackageStateDoes(t *testing.T) {
	t.Parallel()
	var w Writer
	start := w.Open("")
	w.Stated(`,"a":`, 1e-9)
	w.Stated(`,"b":`, nil)
	w.Shut(start)
	require.Equal(t, `{"a":1e-9,"b":null}`, string(w.Buf))
	w = Writer{Look: true}
	for w.Pass() {
		w.Stated(`,"a":`, make(chan int))
	}
	require.ErrorContains(t, w.Err("who"), "who: at a: state: ")
}

func TestSortedSortsFewAndMany(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 16, 17, 40} {
		m := map[string]int{}
		for i := range n {
			m[string(rune('a'+i*7%40))] = i
		}
		list := Sorted(nil, m)
		require.Len(t, list, n)
		for i, e := range list {
			require.Equal(t, m[e.Key], e.Value)
			require.True(t, i == 0 || list[i-1].Key < e.Key)
		}
	}
}
