package graphfile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/conformance"
)

// TestConformanceNoticesWhatDiffers changes what a case expects, one thing at
// a time, and looks whether what the library did is then found wrong.
func TestConformanceNoticesWhatDiffers(t *testing.T) {
	t.Parallel()
	changes := 0
	for _, file := range []string{"failure-021", "interrupt-021", "send-021", "static-021", "subgraph-021", "timetravel-021"} {
		data, err := os.ReadFile("../testdata/conformance/" + file + ".json")
		require.NoError(t, err)
		did := &replay{}
		synctest.Test(t, func(t *testing.T) {
			c, err := conformance.Parse(file, data)
			require.NoError(t, err)
			did.driver = &library{file: loaded(t, c), store: checkpoint.NewMemory(nil), thread: "t"}
			require.NoError(t, c.Play(did, conformance.OneRowAStep))
		})
		changes += noticed(t, file, data, did)
	}
	require.Greater(t, changes, 1000)
	t.Logf("%d changes were noticed", changes)
}

// noticed compares what was done with every change of a case, and counts them.
func noticed(t *testing.T, name string, data []byte, did *replay) (changes int) {
	var whole any
	require.NoError(t, json.Unmarshal(data, &whole))
	object := whole.(map[string]any)
	walk := &changer{test: func(place string) {
		changed, err := json.Marshal(whole)
		require.NoError(t, err)
		c, err := conformance.Parse(name+place, changed)
		require.NoError(t, err)
		did.again()
		require.Error(t, c.Play(did, conformance.OneRowAStep), c.Name)
		changes++
	}}
	for i, op := range object["session"].([]any) {
		walk.object(fmt.Sprint(" operation ", i), op.(map[string]any)["expect"].(map[string]any))
	}
	walk.list(" history", object["history"].([]any), func(l []any) { object["history"] = l })
	return changes
}

// replay is a driver that notes what another one did, and does the same again
// once it has no driver.
type replay struct {
	driver conformance.Driver
	did    []any
	next   int
}

// again begins anew.
func (r *replay) again() { r.driver, r.next = nil, 0 }

// once notes what do does, or returns what was noted.
func once[T any](r *replay, do func() (T, error)) (T, error) {
	if r.driver == nil {
		r.next++
		return r.did[r.next-1].(T), nil
	}
	v, err := do()
	r.did = append(r.did, v)
	return v, err
}

func (r *replay) Do(op *conformance.Operation, at string) (*conformance.Told, error) {
	return once(r, func() (*conformance.Told, error) { return r.driver.Do(op, at) })
}

func (r *replay) State() (*conformance.Checkpoint, error) {
	return once(r, func() (*conformance.Checkpoint, error) { return r.driver.State() })
}

func (r *replay) History() ([]conformance.Checkpoint, error) {
	return once(r, func() ([]conformance.Checkpoint, error) { return r.driver.History() })
}

// changer makes changes in JSON, tests each and takes it back.
type changer struct{ test func(place string) }

func (c *changer) value(place string, v any, set func(any)) {
	switch v := v.(type) {
	case map[string]any:
		c.object(place, v)
	case []any:
		c.list(place, v, func(l []any) { set(l) })
	case string:
		c.try(place, v, v+"~", set)
	case float64:
		c.try(place, v, v+1, set)
	}
}

func (c *changer) try(place string, old, other any, set func(any)) {
	set(other)
	c.test(place)
	set(old)
}

// object changes every value, and adds a field where the keys are fields.
func (c *changer) object(place string, o map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		c.value(place+"."+key, o[key], func(v any) { o[key] = v })
	}
	if strings.HasSuffix(place, ".values") || strings.HasSuffix(place, ".update") {
		o["more"] = 1
		c.test(place + " with more")
		delete(o, "more")
	}
}

// list changes every element, and leaves each out.
func (c *changer) list(place string, l []any, set func([]any)) {
	for i := range l {
		at := fmt.Sprintf("%s[%d]", place, i)
		c.value(at, l[i], func(v any) { l[i] = v })
		set(slices.Delete(slices.Clone(l), i, i+1))
		c.test(at + " left out")
		set(l)
	}
}
