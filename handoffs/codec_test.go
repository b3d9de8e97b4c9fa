package handoffs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// filler makes values of any type of the state, by reflection.
type filler struct {
	*rand.Rand
	full bool // nothing is left zero
}

func newFiller(seed uint64, full bool) *filler {
	return &filler{rand.New(rand.NewPCG(seed, 1)), full}
}

// fill sets everything that v holds, or some of it.
func (f *filler) fill(v reflect.Value, depth int) {
	if !f.full && (depth > 6 || f.IntN(3) == 0) {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(f.Int64N(1<<32), f.Int64N(1e9)).In([]*time.Location{time.UTC, time.FixedZone("", 3600*f.IntN(12))}[f.IntN(2)])
		return
	case *json.RawMessage:
		*p, _ = json.Marshal(f.any(3))
		return
	case *any:
		*p = f.any(3)
		return
	case *Command:
		*p = f.command()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 + f.Int64N(1<<40))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.count(), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.count() {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.SetString(f.text())
			f.fill(e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	default:
		panic("a state has a value of a kind that no test fills: " + v.Type().String())
	}
}

func (f *filler) count() int {
	if f.full {
		return 1
	}
	return f.IntN(3)
}

func (f *filler) text() string {
	texts := []string{"a", "plain text of some length", "\"\\/\b\n\x00\x1f\x7f", "üé😀\u2028\ufffd", "<&>'", "12345678\"", "1234567ü"}
	return texts[f.IntN(len(texts))] + fmt.Sprint(f.IntN(1000))
}

// any makes a value that encoding/json writes as the codec does: no whole floats.
func (f *filler) any(depth int) any {
	n := f.IntN(7)
	switch {
	case n == 0:
		return f.Int64() - f.Int64()
	case n == 1:
		return f.IntN(2) == 0
	case n == 2:
		return float64(f.IntN(1000)) + 0.25
	case n == 3 && !f.full:
		return nil
	case n == 4 && depth > 0:
		list := []any{}
		for range f.IntN(3) {
			list = append(list, f.any(depth-1))
		}
		return list
	case n == 5 && depth > 0:
		m := map[string]any{}
		for range f.IntN(4) {
			m[f.text()] = f.any(depth - 1)
		}
		return m
	}
	return f.text()
}

func (f *filler) command() Command {
	c := NewCommand(f.text(), Reason(f.text()), f.text())
	c.Payload = map[string]any{f.text(): f.any(2)}
	c.Result = &Outcome{Status: Failed, Value: f.any(2)}
	return c
}

// coded are values of the types that write themselves.
func coded() []state.Encoder { return []state.Encoder{&Desk{}, &Entry{}, &Execution{}, &Turn{}} }

func filled(x state.Encoder, f *filler) state.Encoder {
	f.fill(reflect.ValueOf(x).Elem(), 0)
	return x
}

// written is what encoding/json makes of a value.
func written(t testing.TB, x any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(x))
	return strings.TrimSuffix(b.String(), "\n")
}

func requireCoded(t testing.TB, x state.Encoder) {
	require.NoError(t, x.CheckJSON())
	got, err := x.AppendJSON([]byte("before"))
	require.NoError(t, err)
	requireSame(t, "before"+written(t, x), string(got))
	require.NoError(t, state.CheckJSON(got[len("before"):]))
}

// requireSame shows where two long texts part.
func requireSame(t testing.TB, want, got string) {
	if want == got {
		return
	}
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(0, i-60)
	t.Fatalf("want … %s\ngot  … %s", want[from:min(len(want), i+60)], got[from:min(len(got), i+60)])
}

// A field that a type gets and the codec does not write makes this fail.
func TestCodecWritesEveryFieldAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	for _, x := range coded() {
		requireCoded(t, x) // nothing set
		for seed := range uint64(20) {
			requireCoded(t, filled(x, newFiller(seed, true)))
		}
	}
}

func FuzzCodecWritesAsEncodingJSONDoes(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, x := range coded() {
			requireCoded(t, filled(x, newFiller(seed, false)))
		}
	})
}

// spoil puts something that cannot be stored into each place of a value that
// can hold it, one after the other.
func spoil(v reflect.Value, path string, check func(path string)) {
	switch p := v.Addr().Interface().(type) {
	case *any:
		old := *p
		for _, bad := range []any{"\xff", 1, math.NaN(), float32(1), []any{1}, map[string]any{"\xff": nil}, map[string]any{"k": []any{nil, uint8(1)}}} {
			*p = bad
			check(path)
		}
		*p = old
		return
	case *json.RawMessage:
		for _, bad := range []string{`{`, `{} {}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `01`, `nul`} {
			*p = json.RawMessage(bad)
			check(path)
		}
		*p = json.RawMessage(`{}`)
		return
	case *time.Time:
		old := *p
		*p = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
		check(path)
		*p = old
		return
	case *Command:
		spoilOne(&p.Task, "\xff", path, check)
		spoilOne(&p.Kind, "nothing", path, check)
		spoil(reflect.ValueOf(&p.Payload).Elem(), path, check)
		spoil(reflect.ValueOf(&p.Result.Value).Elem(), path, check)
		return
	}
	switch v.Kind() {
	case reflect.String:
		old := v.String()
		v.SetString("a\xff")
		check(path)
		v.SetString(old)
	case reflect.Pointer:
		spoil(v.Elem(), path, check)
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), fmt.Sprint(path, "[", i, "]"), check)
		}
	case reflect.Map:
		spoilMap(v, path, check)
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			spoil(v.Field(i), path+"."+name, check)
		}
	}
}

func spoilOne[T any](p *T, bad T, path string, check func(path string)) {
	old := *p
	*p = bad
	check(path)
	*p = old
}

func spoilMap(m reflect.Value, path string, check func(path string)) {
	for _, k := range m.MapKeys() {
		old := m.MapIndex(k)
		e := reflect.New(old.Type()).Elem()
		e.Set(old)
		spoil(e, path+"."+k.String(), func(path string) {
			m.SetMapIndex(k, e)
			check(path)
		})
		m.SetMapIndex(k, old)
		bad := reflect.New(k.Type()).Elem()
		bad.SetString("\xff")
		m.SetMapIndex(bad, old)
		check(path)
		m.SetMapIndex(bad, reflect.Value{})
	}
}

func TestCodecRefusesWhatWouldNotComeBack(t *testing.T) {
	t.Parallel()
	for _, x := range coded() {
		filled(x, newFiller(1, true))
		n := 0
		spoil(reflect.ValueOf(x).Elem(), "", func(path string) {
			n++
			err := x.CheckJSON()
			require.Error(t, err, path)
			path, _, _ = strings.Cut(strings.TrimPrefix(path, "."), ".command")
			require.ErrorContains(t, err, "handoffs: at "+path)
			_, same := x.AppendJSON(nil)
			require.Equal(t, err, same)
		})
		require.Greater(t, n, 6)
		requireCoded(t, x) // all is as it was
	}
}

func TestCodecEndsAtValuesThatHoldThemselves(t *testing.T) {
	t.Parallel()
	m := map[string]any{}
	m["a"], m["b"] = m, []any{m}
	e := Entry{Detail: m}
	require.ErrorContains(t, e.CheckJSON(), "nested deeper than 1000 levels")
	_, err := e.AppendJSON(nil)
	require.Error(t, err)

	var v any = "deep"
	for range 999 { // the execution itself is a level
		v = []any{v}
	}
	e = Entry{Detail: map[string]any{"v": v.([]any)[0]}}
	requireCoded(t, &e)
	e.Detail["v"] = v
	require.ErrorContains(t, e.CheckJSON(), "nested deeper than 1000 levels")
}

func TestCodecKeepsFractionsAndTakesNothingForEmpty(t *testing.T) {
	t.Parallel()
	e := Entry{Seq: 1, Detail: map[string]any{"f": 3.0, "g": 1e-9, "h": 1e300, "l": []any(nil), "m": map[string]any(nil)}}
	got, err := e.AppendJSON(nil)
	require.NoError(t, err)
	require.Equal(t, `{"seq":1,"at":"0001-01-01T00:00:00Z","detail":{"f":3.0,"g":1e-09,"h":1e+300,"l":[],"m":{}}}`, string(got))
}

func TestCodecWritesInputsWithoutSpaces(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a": [1, "b c", "\" "]}`: `{"a":[1,"b c","\" "]}`,
		" null\n":                  `null`,
		`"a b"`:                    `"a b"`,
	} {
		x := Execution{Input: json.RawMessage(in)}
		require.NoError(t, x.CheckJSON())
		got, err := x.AppendJSON(nil)
		require.NoError(t, err)
		require.Equal(t, `{"toolUseId":"","toolName":"","toolInput":`+want+`,"success":false}`, string(got))
	}
}

func FuzzPlainJSONIsWhatAStateKeeps(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"x\n",true,false,null,{}],"b":{"c":"ü"}}`, `{"a":1,"a":2}`, `[]`, `01`, `"\u0041"`, ` 1`, `[1,]`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !plainJSON(data) {
			return
		}
		require.NoError(t, state.CheckJSON(data))
		var b bytes.Buffer
		require.NoError(t, json.Compact(&b, data))
		require.Equal(t, string(data), b.String())
	})
}

func TestPlainJSONKnowsWhatCommandsAre(t *testing.T) {
	t.Parallel()
	data, err := newFiller(1, true).command().Encode()
	require.NoError(t, err)
	require.True(t, plainJSON([]byte(`{"type":"handoff","a":["b\n"]}`)))
	require.True(t, plainJSON([]byte(`"\u0000\u00fc\n"`)))
	for _, other := range []string{`"\ud800"`, `"\udfff"`, `"\u00"`, `"\u00g0"`, `"\`, `"\x"`, `{"\u0061":1}`} {
		require.False(t, plainJSON([]byte(other)), other)
	}
	require.NoError(t, state.CheckJSON(data))
}

func TestTimesOfTheTableAreOfOneLength(t *testing.T) {
	t.Parallel()
	f := newFiller(1, true)
	for i := range 1000 {
		at := time.Unix(f.Int64N(300_000_000_000)-62_000_000_000, f.Int64N(1e9)).In([]*time.Location{time.UTC, time.FixedZone("", 3600*f.IntN(12))}[i%2])
		at = at.Truncate([]time.Duration{1, time.Microsecond, 100 * time.Millisecond, time.Second}[i/2%4])
		require.Equal(t, at.UTC().Format(indexTime), timeText(at))
	}
}
