package plan_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// fill gives every exported field inside a value something that is not zero.
func fill(v reflect.Value, n *int64) {
	*n++
	switch t := v.Type(); {
	case t == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1_700_000_000+*n, *n).UTC()))
	case t == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"type":"object"}`)))
	case t == reflect.TypeFor[map[string]any]():
		v.Set(reflect.ValueOf(map[string]any{"a": []any{*n, "ü\n", 1.5}, "b": nil}))
	case t.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(*n))
	case t.Kind() == reflect.String:
		v.SetString(strings.Repeat("\"x", 1+int(*n%3)) + "é")
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case t.Kind() == reflect.Float64:
		v.SetFloat(float64(*n) + 0.25)
	case v.CanInt():
		v.SetInt(*n)
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem(), n)
	case t.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(t, 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			fill(v.Field(i), n)
		}
	}
}

// A field that is added to a type and not to the codec makes this fail.
func TestCodecWritesEveryField(t *testing.T) {
	t.Parallel()
	for _, x := range []state.Encoder{&plan.Plan{}, &plan.Progress{}, &plan.Course{}, &plan.Event{}} {
		v := reflect.ValueOf(x)
		zero, err := x.AppendJSON(nil)
		require.NoError(t, err)
		want, err := json.Marshal(v.Elem().Interface())
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(zero), "%T", x)

		n := int64(0)
		fill(v.Elem(), &n)
		got, err := x.AppendJSON([]byte("before"))
		require.NoError(t, err)
		require.NoError(t, x.CheckJSON())
		want, err = json.Marshal(v.Elem().Interface())
		require.NoError(t, err)
		require.JSONEq(t, string(want), strings.TrimPrefix(string(got), "before"), "%T", x)
	}
}

func TestCodecKeepsWhatItWrites(t *testing.T) {
	t.Parallel()
	var p plan.Progress
	n := int64(0)
	fill(reflect.ValueOf(&p).Elem(), &n)
	p.Result.Value = map[string]any{"whole": 3.0, "count": int64(3)}
	data, err := p.AppendJSON(nil)
	require.NoError(t, err)
	var again plan.Progress
	require.NoError(t, state.ParseInto(data, &again))
	require.Equal(t, p, again)
}

func TestCodecRefusesWhatWouldNotComeBack(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]state.Encoder{
		"plan: at result.value: ":            plan.Progress{Result: &plan.Result{Value: make(chan int)}},
		"plan: at result.text: ":             plan.Progress{Result: &plan.Result{Text: "\xff"}},
		"plan: at steps[0].input: ":          plan.Plan{Steps: []plan.Step{{ID: "a", Input: map[string]any{"a": struct{}{}}}}},
		"plan: at steps[0].accept.schema: ":  plan.Plan{Steps: []plan.Step{{ID: "a", Accept: &plan.Accept{Schema: json.RawMessage(`{`)}}}},
		"plan: at cause.text: ":              plan.Course{Cause: &plan.Cause{Text: "\xff", Code: handoffs.CodeFailed}},
		"plan: at at: Time.AppendText: year": plan.Event{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		require.ErrorContains(t, x.CheckJSON(), want)
		data, err := x.AppendJSON([]byte("before"))
		require.Error(t, err)
		require.Equal(t, "before", string(data))
	}
}
