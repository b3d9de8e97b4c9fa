package plan_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// checkState is the state of executors that only look at plans.
type checkState struct{ plan.State }

// newChecker makes an executor of two agents.
func newChecker(t testing.TB, planner bool) *plan.Executor[checkState] {
	registry, err := handoffs.NewRegistry(nil,
		handoffs.Profile{ID: "search", Name: "search", Capabilities: []string{"find"}},
		handoffs.Profile{ID: "report", Name: "report", Capabilities: []string{"write"}},
	)
	require.NoError(t, err)
	cfg := plan.Config[checkState]{
		Fields: plan.FieldsOf(func(s *checkState) *plan.State { return &s.State }), Registry: registry, Names: []string{"topic"},
		Facts:  func(*checkState) handoffs.Facts { return func(string) (any, bool) { return nil, false } },
		Checks: map[string]plan.Check{"good": func(context.Context, *plan.Plan, *plan.Step, *plan.Result) error { return nil }},
	}
	if planner {
		cfg.Planner = plan.PlannerFunc(func(context.Context, *plan.Request) (*plan.Proposal, error) { return nil, errors.New("no") })
	}
	x, err := plan.New(cfg)
	require.NoError(t, err)
	return x
}

func TestCheckNamesEveryProblem(t *testing.T) {
	x := newChecker(t, false)
	for name, c := range map[string]struct {
		plan string
		want []string
	}{
		"nothing":                {`{"steps":[{"id":"a","agent":"search","task":"${topic}: ${goal}"},{"id":"b","capability":"write","task":"${steps.a.text}"}]}`, nil},
		"no steps":               {`{}`, []string{"the plan has no steps"}},
		"order":                  {`{"order":"any","steps":[{"id":"a","agent":"search"}]}`, []string{`order "any" is neither linear nor graph`}},
		"twice":                  {`{"steps":[{"id":"a","agent":"search"},{"id":"b","agent":"search"},{"id":"a","agent":"search"}]}`, []string{`step "a" stands twice, as step 1 and step 3`}},
		"streams in line":        {`{"order":"linear","more":true,"steps":[{"id":"a","agent":"search"}]}`, []string{"more steps are to come, and there is no planner", "a plan whose steps stream in must be a graph"}},
		"no id":                  {`{"steps":[{"agent":"search"}]}`, []string{"step 1 has no id"}},
		"status":                 {`{"steps":[{"id":"a","agent":"search","status":"done"}]}`, []string{`step "a": status and result are not the plan's to say`}},
		"result":                 {`{"steps":[{"id":"a","agent":"search","result":{"text":"x"}}]}`, []string{`step "a": status and result are not the plan's to say`}},
		"unknown dependency":     {`{"steps":[{"id":"a","agent":"search","depends_on":["b"]}]}`, []string{`step "a" depends on "b", and there is no such step`}},
		"itself":                 {`{"steps":[{"id":"a","agent":"search","depends_on":["a"]}]}`, []string{`step "a" depends on itself`}},
		"dependency twice":       {`{"steps":[{"id":"a","agent":"search"},{"id":"b","agent":"search","depends_on":["a","a"]}]}`, nil},
		"linear, another":        {`{"order":"linear","steps":[{"id":"a","agent":"search"},{"id":"b","agent":"search"},{"id":"c","agent":"search","depends_on":["a"]}]}`, []string{`step "c": in a linear plan a step depends on the one before it`}},
		"linear, the one before": {`{"order":"linear","steps":[{"id":"a","agent":"search"},{"id":"b","agent":"search","depends_on":["a"]}]}`, nil},
		"retry":                  {`{"steps":[{"id":"a","agent":"search","retry":{"factor":-1}}]}`, []string{`step "a": retry: initial, factor and most must not be below 0`}},
		"timeout":                {`{"steps":[{"id":"a","agent":"search","timeout":"-1s"}]}`, []string{`step "a": timeout must not be below 0`}},
		"agent and capability":   {`{"steps":[{"id":"a","agent":"search","capability":"find"}]}`, []string{`step "a" names an agent and a capability: name one`}},
		"unknown agent":          {`{"steps":[{"id":"a","agent":"serch"}]}`, []string{`step "a": there is no agent "serch"; did you mean search?`}},
		"agent like none":        {`{"steps":[{"id":"a","agent":"zzzzzzzz"}]}`, []string{`step "a": there is no agent "zzzzzzzz"`}},
		"capability":             {`{"steps":[{"id":"a","capability":"sing"}]}`, []string{`step "a": no agent has the capability "sing"`}},
		"nobody":                 {`{"steps":[{"id":"a"}]}`, []string{`step "a" names neither an agent nor a capability, and there is no supervisor to do it`}},
		"failure":                {`{"steps":[{"id":"a","agent":"search","on_failure":{"do":"cry"}}]}`, []string{`step "a": on_failure: "cry" is none of reassign, skip, skip_branch, replan, escalate, stop`}},
		"escalate":               {`{"steps":[{"id":"a","agent":"search","on_failure":{"do":"escalate"}}]}`, []string{`step "a": on_failure: escalate: there is no supervisor; name one in ` + "`to`"}},
		"replan":                 {`{"steps":[{"id":"a","agent":"search","on_failure":{"do":"replan"}}]}`, []string{`step "a": on_failure: replan: there is no planner`}},
		"to nobody":              {`{"steps":[{"id":"a","agent":"search","on_failure":{"do":"reassign","to":["reprot"]}}]}`, []string{`step "a": on_failure: there is no agent "reprot"; did you mean report?`}},
		"to of skip":             {`{"steps":[{"id":"a","agent":"search","on_failure":{"do":"skip","to":["report"]}}]}`, []string{"step \"a\": on_failure: `to` is for reassign and escalate"}},
		"check":                  {`{"steps":[{"id":"a","agent":"search","accept":{"check":"bad"}}]}`, []string{`step "a": accept: there is no check "bad"`}},
		"not waited for":         {`{"order":"graph","steps":[{"id":"a","agent":"search"},{"id":"b","agent":"search","task":"${steps.a.text}"}]}`, []string{`step "b" names the result of "a", but does not wait for it`}},
		"later in line":          {`{"steps":[{"id":"a","agent":"search","input":{"x":["${steps['b'].value}"]}},{"id":"b","agent":"search"}]}`, []string{`step "a" names the result of "b", but does not wait for it`}},
		"result of none":         {`{"steps":[{"id":"a","agent":"search","accept":{"if":"steps.z.text == ''"}}]}`, []string{`step "a" names the result of "z", and there is no such step`}},
		"own result":             {`{"steps":[{"id":"a","agent":"search","task":"${steps.a.text}"}]}`, []string{`step "a" names the result of "a", but does not wait for it`}},
		"cycle": {`{"steps":[{"id":"a","agent":"search","depends_on":["c"]},{"id":"b","agent":"search","depends_on":["a"]},{"id":"c","agent":"search","depends_on":["b"]}]}`,
			[]string{`steps wait for each other: a needs c needs b needs a`}},
		"two cycles": {`{"steps":[{"id":"a","agent":"search","depends_on":["b"]},{"id":"b","agent":"search","depends_on":["a"]},{"id":"c","agent":"search","depends_on":["d","a"]},{"id":"d","agent":"search","depends_on":["c"]}]}`,
			[]string{`steps wait for each other: a needs b needs a`, `steps wait for each other: c needs d needs c`}},
		"many at once": {`{"order":"x","steps":[{"id":"a","agent":"serch","timeout":"-1s"},{"id":"a","capability":"sing"},{"id":"b","depends_on":["b","q"]}]}`, []string{
			`order "x" is neither linear nor graph`, `step "a" stands twice, as step 1 and step 2`, `step "a": there is no agent "serch"; did you mean search?`, `step "a": timeout must not be below 0`,
			`step "a": no agent has the capability "sing"`, `step "b" names neither an agent nor a capability, and there is no supervisor to do it`,
			`step "b" depends on itself`, `step "b" depends on "q", and there is no such step`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var p plan.Plan
			require.NoError(t, state.ParseInto([]byte(c.plan), &p))
			err := x.Check(&p)
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, plan.ErrPlan)
			var ps *plan.Problems
			require.ErrorAs(t, err, &ps)
			var got []string
			for _, e := range ps.List {
				got = append(got, e.Error())
			}
			require.Equal(t, c.want, got)
		})
	}
}

// What expressions and schemas say is wrong is theirs; the step and the place are
// told.
func TestCheckTellsWhereAnExpressionIsWrong(t *testing.T) {
	x := newChecker(t, false)
	for text, where := range map[string]string{
		`{"id":"a","agent":"search","task":"${"}`:                                     `step "a": task: `,
		`{"id":"a","agent":"search","task":"${nobody}"}`:                              `step "a": task: `,
		`{"id":"a","agent":"search","input":{"x":{"y":"${1 +}"}}}`:                    `step "a": input: `,
		`{"id":"a","agent":"search","accept":{"if":"result.value >="}}`:               `step "a": accept if: `,
		`{"id":"a","agent":"search","task":"${result.text}"}`:                         `step "a": task: `,
		`{"id":"a","agent":"search","accept":{"schema":{"type":"wrong"}}}`:            `step "a": accept schema: `,
		`{"id":"a","agent":"search","accept":{"schema":{"$ref":"file:///dev/zero"}}}`: `a schema may refer to its own parts only, not to file:///dev/zero`,
		`{"id":"a","agent":"search","accept":{"schema":5}}`:                           `step "a": accept schema: `,
	} {
		var p plan.Plan
		require.NoError(t, state.ParseInto([]byte(`{"steps":[`+text+`]}`), &p), text)
		require.ErrorContains(t, x.Check(&p), where, text)
	}
}

func TestWrongJSONOfAPlan(t *testing.T) {
	for _, text := range []string{
		`[]`, `{"steps":{}}`, `{"steps":[{"id":5}]}`, `{"steps":[{"id":"a","timeout":5}]}`, `{"steps":[{"id":"a","timeout":"soon"}]}`, `{"steps":[{"id":"a","retry":{"max":"x"}}]}`,
	} {
		var p plan.Plan
		require.Error(t, state.ParseInto([]byte(text), &p), text)
	}
}

// FuzzPlan decodes plans and looks at them: that never panics and always ends.
func FuzzPlan(f *testing.F) {
	for _, text := range []string{
		`{"steps":[{"id":"a","agent":"search","task":"${steps.b.text}","depends_on":["b"]},{"id":"b","capability":"find"}]}`,
		`{"order":"graph","more":true,"steps":[{"id":"a","agent":"report","accept":{"if":"result.value >= 1","schema":{"type":"integer"},"check":"good"},"retry":{"max":2,"initial":"1s","factor":1.5},"timeout":"1m"}]}`,
		`{"order":"linear","steps":[{"id":"a","agent":"search","input":{"x":["${topic}",{"y":"${steps['z'].value}"}]},"on_failure":{"do":"replan","to":["x"]}}]}`,
		`{"steps":[{"id":"a","depends_on":["a","b"]},{"id":"b","depends_on":["a"]}]}`,
		`{"steps":[{"id":"","agent":"search","status":"done","result":{"value":null}}]}`,
		`{"steps":[{"id":"a","agent":"search","accept":{"schema":{"$ref":"#"}}},{"id":"b","agent":"search","accept":{"schema":{"$ref":"http://x/y"}}}]}`,
	} {
		f.Add([]byte(text))
	}
	x := newChecker(f, true)
	f.Fuzz(func(t *testing.T, data []byte) {
		var p plan.Plan
		if err := state.ParseInto(data, &p); err != nil {
			return
		}
		done := time.AfterFunc(10*time.Second, func() { panic("Check does not end: " + string(data)) })
		defer done.Stop()
		if err := x.Check(&p); err != nil {
			require.ErrorIs(t, err, plan.ErrPlan)
			require.NotEmpty(t, err.Error())
			require.Equal(t, err.Error(), x.Check(&p).Error())
		}
		require.NotPanics(t, func() { plan.Diff(&p, &p) })
	})
}
