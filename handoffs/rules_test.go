package handoffs

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// updateRules says whether golden files are to be written. The flag may be that
// of other tests too.
var updateRules = func() func() bool {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write the golden files anew")
	}
	return func() bool { return flag.Lookup("update").Value.String() == "true" }
}()

// goldenRules compares a text with a file of testdata/rules.
func goldenRules(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "rules", name)
	if updateRules() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// jetCase is an event and the rule that answers it.
type jetCase struct {
	agent, trigger, state string
	facts, payload        map[string]any
	counts                map[string]int
	rule                  string // "": none
}

// base are facts and payloads that every case has.
func (c *jetCase) event() (*Event, Facts) {
	facts := map[string]any{"request": "r1", "session": "s1"}
	for k, v := range c.facts {
		facts[k] = v
	}
	payload := map[string]any{
		"rfpData": map[string]any{"from": "TEB"}, "rfpId": "rfp-1", "topProposals": []any{"p1"}, "errorType": "avinode_error",
		"service": "sheets", "recipient": "a@b.c", "originalError": "503", "emailPayload": map[string]any{}, "minimumRequired": int64(3),
	}
	for k, v := range c.payload {
		payload[k] = v
	}
	return &Event{ID: "e1", Agent: c.agent, Trigger: c.trigger, Payload: payload, State: c.state, Counts: c.counts}, factsOf(facts)
}

func TestJetvisionRules(t *testing.T) {
	retryable := map[string]any{"retryable": true}
	cases := []jetCase{
		{agent: orchestrator, trigger: "ANALYZING_COMPLETE", facts: map[string]any{"client_name": "Ada"}, rule: "1.1"},
		{agent: orchestrator, trigger: "ANALYZING_COMPLETE", facts: map[string]any{"client_email": "ada@b.c"}, rule: "1.1"},
		{agent: orchestrator, trigger: "ANALYZING_COMPLETE", rule: "1.2"},
		{agent: orchestrator, trigger: "ANALYZING_COMPLETE", facts: map[string]any{"client_id": "c1"}},
		{agent: orchestrator, trigger: "ANALYZING_COMPLETE", facts: map[string]any{"urgency": "urgent"}, rule: "1.2"},
		{agent: orchestrator, trigger: "ANALYZING_FAILED", rule: "1.3"},
		{agent: clientData, trigger: "CLIENT_DATA_COMPLETE", state: "FETCHING_CLIENT_DATA", rule: "2.1"},
		{agent: clientData, trigger: "CLIENT_DATA_FAILED", state: "FETCHING_CLIENT_DATA", rule: "2.2"},
		{agent: clientData, trigger: "CLIENT_DATA_FAILED", state: "FETCHING_CLIENT_DATA", payload: retryable, rule: "2.2"},
		{agent: flightSearch, trigger: "QUOTES_RECEIVED", state: "AWAITING_QUOTES", facts: map[string]any{"quotes": int64(3)}, rule: "3.1"},
		{agent: flightSearch, trigger: "QUOTES_RECEIVED", state: "AWAITING_QUOTES", facts: map[string]any{"quotes": int64(2)}},
		{agent: flightSearch, trigger: "QUOTES_RECEIVED", state: "AWAITING_QUOTES"},
		{agent: flightSearch, trigger: "AWAITING_QUOTES_TIMEOUT", state: "AWAITING_QUOTES", payload: retryable, rule: "3.2"},
		{agent: flightSearch, trigger: "SEARCHING_FLIGHTS_FAILED", state: "SEARCHING_FLIGHTS", rule: "3.2"},
		{agent: analysis, trigger: "ANALYSIS_COMPLETE", state: "ANALYZING_PROPOSALS", facts: map[string]any{"proposals": int64(3)}, rule: "4.1"},
		{agent: analysis, trigger: "ANALYSIS_COMPLETE", state: "ANALYZING_PROPOSALS", facts: map[string]any{"proposals": int64(1)}},
		{agent: analysis, trigger: "ANALYSIS_FAILED", state: "ANALYZING_PROPOSALS", facts: map[string]any{"quotes": int64(2)}, rule: "4.2"},
		{agent: analysis, trigger: "ANALYSIS_FAILED", state: "ANALYZING_PROPOSALS", facts: map[string]any{"quotes": int64(4)}},
		{agent: mailer, trigger: "SENDING_PROPOSAL_FAILED", state: "SENDING_PROPOSAL", payload: retryable, rule: "5.1"},
		{agent: mailer, trigger: "PROPOSAL_SENT", state: "SENDING_PROPOSAL"},
		{agent: monitor, trigger: "ERROR_RETRY", state: "FETCHING_CLIENT_DATA", facts: map[string]any{"service": "sheets"}, rule: "6.1"},
		{agent: monitor, trigger: "ERROR_RETRY", state: "FETCHING_CLIENT_DATA", facts: map[string]any{"service": "sheets"}, counts: map[string]int{"rule:6.1": 2}, rule: "6.1"},
		{agent: monitor, trigger: "ERROR_RETRY", state: "FETCHING_CLIENT_DATA", facts: map[string]any{"service": "sheets"}, counts: map[string]int{"rule:6.1": 3}},
		{agent: monitor, trigger: "ERROR_RETRY", state: "SEARCHING_FLIGHTS", facts: map[string]any{"service": "avinode"}, rule: "6.2"},
		{agent: monitor, trigger: "ERROR_RETRY", state: "GENERATING_EMAIL", facts: map[string]any{"service": "gmail"}, rule: "6.3"},
		{agent: monitor, trigger: "ERROR_RETRY", state: "FETCHING_CLIENT_DATA"},
		{agent: orchestrator, trigger: "CLIENT_DATA_FAILED"},
	}
	p := jetvision()
	var out strings.Builder
	for _, c := range cases {
		ev, facts := c.event()
		f := p.Rules.fire(ev, facts, p.Machine)
		if c.rule == "" {
			require.Nil(t, f.Rule, "%+v", c)
			require.Nil(t, f.Fired)
		} else {
			require.NotNil(t, f.Rule, "%+v", c)
			require.Equal(t, c.rule, f.Rule.Name)
			require.NoError(t, f.Err)
			require.Equal(t, []string{"e1/" + c.trigger}, f.Fired)
			require.Equal(t, ByRule, f.Command.Actor)
			require.Equal(t, Transfer, f.Command.Kind)
			require.Equal(t, f.Rule.To, f.Command.Target)
			require.Equal(t, "r1", f.Command.Payload["requestId"])
			require.Empty(t, f.Also)
		}
		tellCase(&out, &c, &f)
	}
	goldenRules(t, "jetvision.txt", out.String())
}

func tellCase(out *strings.Builder, c *jetCase, f *Firing) {
	out.WriteString(c.agent + " " + c.trigger + "\n")
	for _, line := range f.Why {
		out.WriteString("  " + line + "\n")
	}
	if f.Rule == nil {
		return
	}
	out.WriteString("  -> " + f.Command.Target + ", " + f.Command.State + ", " + string(f.Command.Priority) + ", " + f.Command.Explanation)
	if f.After > 0 {
		out.WriteString(", after " + f.After.String())
	}
	out.WriteString("\n")
}

// TestDoubleTriggerFiresOnce: S3-48.
func TestDoubleTriggerFiresOnce(t *testing.T) {
	p := jetvision()
	c := jetCase{agent: clientData, trigger: "CLIENT_DATA_COMPLETE", state: "FETCHING_CLIENT_DATA"}
	ev, facts := c.event()
	first := p.Rules.fire(ev, facts, p.Machine)
	require.Equal(t, "2.1", first.Rule.Name)
	require.Equal(t, []string{
		"2.1 fired because CLIENT_DATA told CLIENT_DATA_COMPLETE",
		"1.2 did not: the turn was that of CLIENT_DATA",
	}, first.Why)

	heard := *ev
	heard.Agent, heard.Fired = orchestrator, first.Fired
	second := p.Rules.fire(&heard, facts, p.Machine)
	require.Nil(t, second.Rule)
	require.Equal(t, first.Fired, second.Fired)
	require.Equal(t, "1.2 did not: a rule of group CLIENT_DATA_COMPLETE has fired for this event", second.Why[0])
}

// TestTransitionOfRule: X-35.
func TestTransitionOfRule(t *testing.T) {
	p := jetvision()
	c := jetCase{agent: analysis, trigger: "ANALYSIS_COMPLETE", state: "SEARCHING_FLIGHTS", facts: map[string]any{"proposals": int64(3)}}
	ev, facts := c.event()
	f := p.Rules.fire(ev, facts, p.Machine)
	var failed *Error
	require.ErrorAs(t, f.Err, &failed)
	require.Equal(t, CodeTransition, failed.Code)
	require.Equal(t, "Invalid state transition: SEARCHING_FLIGHTS -> GENERATING_EMAIL", failed.Message)
	require.Equal(t, []string{"4.1 fired because proposals = 3", "4.1 cannot hand over: Invalid state transition: SEARCHING_FLIGHTS -> GENERATING_EMAIL"}, f.Why)
}

func TestRetryOfRule(t *testing.T) {
	p := jetvision()
	p.Rules.Backoff = 10 * time.Second
	p.Rules.List[10].Retry.Initial = 0
	for made, want := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		c := jetCase{agent: monitor, trigger: "ERROR_RETRY", state: "FETCHING_CLIENT_DATA", facts: map[string]any{"service": "sheets"}, counts: map[string]int{"rule:6.1": made}}
		ev, facts := c.event()
		require.Equal(t, want, p.Rules.fire(ev, facts, p.Machine).After)
	}
}

func TestAgain(t *testing.T) {
	yes := Compare([]Comparison{{"payload.retryable", "==", true}, {"fired", "!=", "often"}})
	broken := &Guard{Holds: func(Facts) (bool, string, error) { return false, "", errors.New("no such field") }}
	for name, c := range map[string]struct {
		retries   *Guard
		retryable any
		fired     string
		want      string
		code      Code
	}{
		"yes":      {nil, true, "", "AGAIN", ""},
		"no":       {nil, false, "", "NEXT", ""},
		"not said": {nil, nil, "", "NEXT", ""},
		"guard":    {yes, true, "", "AGAIN", ""},
		"too late": {yes, true, "often", "NEXT", ""},
		"broken":   {broken, true, "", "", CodeGuard},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Rules{Retries: c.retries, List: []Rule{{Name: "x", To: "b", Next: "NEXT", Again: "AGAIN"}}}
			ev := &Event{Agent: "a", Payload: map[string]any{"retryable": c.retryable}}
			f := r.fire(ev, factsOf(map[string]any{"fired": c.fired}), nil)
			require.Equal(t, c.want, f.Command.State)
			requireRuleError(t, c.code, f.Err)
		})
	}
}

func requireRuleError(t *testing.T, code Code, err error) {
	t.Helper()
	if code == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, code)
}

func TestRuleOrder(t *testing.T) {
	never, always := Compare(), Compare([]Comparison{})
	for name, c := range map[string]struct {
		rules []Rule
		want  string
		why   string
	}{
		"place":       {[]Rule{{Name: "x"}, {Name: "y"}}, "x", "x fired because a turn of a ended\ny was not tried: x came first"},
		"order":       {[]Rule{{Name: "x", Order: 2}, {Name: "y", Order: 1}}, "y", "y fired because a turn of a ended\nx was not tried: y came first"},
		"from":        {[]Rule{{Name: "x"}, {Name: "y", From: []string{"a"}}}, "y", "y fired because a turn of a ended\nx was not tried: y came first"},
		"trigger":     {[]Rule{{Name: "x"}, {Name: "y", Triggers: []string{"T"}}}, "y", "y fired because a told T\nx was not tried: y came first"},
		"when":        {[]Rule{{Name: "x", Triggers: []string{"T"}}, {Name: "y", Triggers: []string{"T"}, When: always}}, "y", "y fired because a told T\nx was not tried: y came first"},
		"order first": {[]Rule{{Name: "x", Order: -1}, {Name: "y", From: []string{"a"}, Triggers: []string{"T"}, When: always}}, "x", "x fired because a turn of a ended\ny was not tried: x came first"},
		"falls back":  {[]Rule{{Name: "x", When: never}, {Name: "y"}}, "y", "x did not: it never holds\ny fired because a turn of a ended"},
		"others":      {[]Rule{{Name: "x", From: []string{"b"}, Triggers: []string{"T"}}, {Name: "y", Triggers: []string{"U"}}}, "", "x did not: the turn was that of a"},
		"nobody":      {[]Rule{{Name: "y", Triggers: []string{"U"}}}, "", "no rule answers T"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.rules {
				c.rules[i].To = "b"
			}
			f := (&Rules{List: c.rules}).fire(&Event{Agent: "a", Trigger: "T"}, nil, nil)
			if c.want == "" {
				require.Nil(t, f.Rule)
			} else {
				require.Equal(t, c.want, f.Rule.Name)
			}
			require.Equal(t, c.why, strings.Join(f.Why, "\n"))
		})
	}
}

func TestGroupsFireSideBySide(t *testing.T) {
	r := &Rules{List: []Rule{
		{Name: "tell", To: "b", Kind: Call, Group: "tell"}, {Name: "tell too", To: "c", Kind: Call, Group: "tell"},
		{Name: "move", To: "d", Triggers: []string{"T"}},
	}}
	ev := &Event{ID: "7", Agent: "a", Trigger: "T", Fired: []string{"6/T"}}
	f := r.fire(ev, nil, nil)
	require.Equal(t, "move", f.Rule.Name)
	require.Len(t, f.Also, 1)
	require.Equal(t, "tell", f.Also[0].Rule.Name)
	require.True(t, f.Also[0].Command.ReturnControl)
	require.Equal(t, []string{"6/T", "7/T", "7/tell"}, f.Fired)
	require.Equal(t, []string{"6/T"}, ev.Fired)

	ev.Fired = []string{"7/tell"}
	f = r.fire(ev, nil, nil)
	require.Empty(t, f.Also)
	require.Equal(t, []string{"7/tell", "7/T"}, f.Fired)

	nameless := &Event{Agent: "a", Trigger: "T", Fired: []string{"/T", "/tell"}}
	f = r.fire(nameless, nil, nil)
	require.Len(t, f.Also, 1)
	require.Equal(t, nameless.Fired, f.Fired)
}

// TestPayloadOfOneRule: texts see the payload that a rule has made, other rules
// do not.
func TestPayloadOfOneRule(t *testing.T) {
	r := &Rules{List: []Rule{
		{Name: "1", To: "b", Group: "x", Payload: []RulePayload{computed("k", "int", "n")}, Explanation: "with {payload.k}"},
		{Name: "2", To: "c", Group: "y", Order: 1, When: Compare([]Comparison{{"payload.k", "==", "told"}}), Explanation: "with {payload.k}"},
	}}
	f := r.fire(&Event{Agent: "a", Payload: map[string]any{"k": "told"}}, factsOf(map[string]any{"n": int64(3)}), nil)
	require.Len(t, f.Also, 1)
	require.Equal(t, "with 3", f.Command.Explanation)
	require.Equal(t, "with told", f.Also[0].Command.Explanation)
}

func TestRulePayload(t *testing.T) {
	value := func(v any, err error) *Value {
		return &Value{Text: "len(quotes)", Eval: func(Facts) (any, error) { return v, err }}
	}
	of := func(typ string, optional bool, from *Value, enum ...any) RulePayload {
		return RulePayload{PayloadField: PayloadField{Key: "k", Type: typ, Optional: optional, Enum: enum}, From: from}
	}
	for name, c := range map[string]struct {
		field RulePayload
		told  any
		want  any
		err   string
	}{
		"told":             {of("string", false, nil), "x", "x", ""},
		"missing":          {of("string", false, nil), nil, nil, `rule 9 (r.yaml:1:2): payload "k": it is needed, and T does not carry it`},
		"optional":         {of("string", true, nil), nil, nil, ""},
		"wrong type":       {of("int", false, nil), "x", nil, `rule 9 (r.yaml:1:2): payload "k": want int, got string`},
		"optional wrong":   {of("int", true, nil), "x", nil, `rule 9 (r.yaml:1:2): payload "k": want int, got string`},
		"computed":         {of("int", false, value(3, nil)), nil, int64(3), ""},
		"any":              {of("", false, value(true, nil)), nil, true, ""},
		"computed nothing": {of("int", false, value(nil, nil)), "x", nil, `rule 9 (r.yaml:1:2): payload "k": it is needed, and len(quotes) gives none`},
		"computed fails":   {of("int", true, value(nil, errors.New("boom"))), "x", nil, `rule 9 (r.yaml:1:2): payload "k": boom`},
		"one of":           {of("string", false, nil, "x", "y"), "z", nil, `rule 9 (r.yaml:1:2): payload "k": want one of [x y], got z`},
		"no function":      {of("int", false, &Value{}), nil, nil, `rule 9 (r.yaml:1:2): payload "k": it is needed, and the rule computes none`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Rules{List: []Rule{{Name: "9", To: "b", Place: "r.yaml:1:2", Payload: []RulePayload{c.field}}}}
			payload := map[string]any{"other": 1}
			if c.told != nil {
				payload["k"] = c.told
			}
			f := r.fire(&Event{Agent: "a", Trigger: "T", Payload: payload}, nil, nil)
			if c.err != "" {
				requireRuleError(t, CodePayload, f.Err)
				require.Equal(t, c.err, f.Err.(*Error).Message)
				require.Equal(t, "b", f.Command.Target)
				return
			}
			require.NoError(t, f.Err)
			require.Equal(t, c.want, f.Command.Payload["k"])
			require.NotContains(t, f.Command.Payload, "other")
		})
	}
	two := &Rules{List: []Rule{{Name: "9", To: "b", Payload: []RulePayload{needs("x", "int"), needs("y", "int")}}}}
	require.Equal(t, `rule 9: payload "x": it is needed, and there is no trigger that could carry it; payload "y": it is needed, and there is no trigger that could carry it`,
		two.fire(&Event{Agent: "a"}, nil, nil).Err.(*Error).Message)
	whole := &Rules{List: []Rule{{Name: "9", To: "b"}}}
	require.Equal(t, map[string]any{"k": "v"}, whole.fire(&Event{Agent: "a", Payload: map[string]any{"k": "v"}}, nil, nil).Command.Payload)
}

func TestRuleUrgency(t *testing.T) {
	for name, c := range map[string]struct {
		rule Priority
		told any
		want Priority
		err  string
	}{
		"raises":   {Normal, "high", High, ""},
		"default":  {"", "urgent", Urgent, ""},
		"case":     {"", "URGENT", Urgent, ""},
		"kept":     {High, "low", High, ""},
		"same":     {"", "normal", "", ""},
		"nothing":  {Low, nil, Low, ""},
		"typed":    {Low, Normal, Normal, ""},
		"no word":  {Low, int64(3), Low, "rule r: urgency: 3 is no priority; use urgent, high, normal or low"},
		"no known": {Low, "soon", Low, `rule r: urgency: "soon" is no priority; use urgent, high, normal or low`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Rules{List: []Rule{{Name: "r", To: "b", Priority: c.rule, Urgency: fromFact("u")}}}
			f := r.fire(&Event{Agent: "a"}, factsOf(map[string]any{"u": c.told}), nil)
			require.Equal(t, c.want, f.Command.Priority)
			if c.err == "" {
				require.NoError(t, f.Err)
				return
			}
			require.Equal(t, c.err, f.Err.(*Error).Message)
		})
	}
}

func TestRuleTexts(t *testing.T) {
	r := &Rules{List: []Rule{{Name: "7", Capability: "quotes", Explanation: "{rule}: {source} -> {target} by {trigger}, {n} of {name} {payload.deep.x} {unknown} {", Task: "find {{n}}"}}}
	ev := &Event{Agent: "a", Trigger: "T", Payload: map[string]any{"deep": map[string]any{"x": 1.5}}}
	f := r.fire(ev, factsOf(map[string]any{"n": int64(3), "name": "{n}"}), nil)
	require.Equal(t, "7: a -> quotes by T, 3 of {n} 1.5 {unknown} {", f.Command.Explanation)
	require.Equal(t, "find {3}", f.Command.Task)
	require.Equal(t, "quotes", f.Command.Capability)

	plain := &Rules{List: []Rule{{Name: "7", To: "b", When: atLeast("n", 3)}}}
	f = plain.fire(ev, factsOf(map[string]any{"n": int64(3)}), nil)
	require.Equal(t, "7 fired because n = 3", f.Command.Explanation)
}

// TestBrokenGuardTakesItsGroup: no other rule steps in for one that is broken.
func TestBrokenGuardTakesItsGroup(t *testing.T) {
	broken := &Guard{Holds: func(Facts) (bool, string, error) { return false, "", errors.New("n is a list") }}
	r := &Rules{List: []Rule{{Name: "x", To: "b", When: broken, Place: "r.yaml:4:1"}, {Name: "y", To: "c"}}}
	f := r.fire(&Event{Agent: "a"}, nil, nil)
	require.Equal(t, "x", f.Rule.Name)
	requireRuleError(t, CodeGuard, f.Err)
	require.Equal(t, "rule x (r.yaml:4:1): n is a list", f.Err.(*Error).Message)
}

func TestFireIsPure(t *testing.T) {
	p := jetvision()
	c := jetCase{agent: flightSearch, trigger: "QUOTES_RECEIVED", state: "AWAITING_QUOTES", facts: map[string]any{"quotes": int64(3)}}
	ev, facts := c.event()
	before := *ev
	first := p.Rules.fire(ev, facts, p.Machine)
	second := p.Rules.fire(ev, facts, p.Machine)
	require.Equal(t, before, *ev)
	require.Equal(t, first, second)
}

func TestRuleEdge(t *testing.T) {
	r := jetvision().Rules.List[5]
	r.Limits, r.Context = Limits{Handoffs: 2}, &ContextPolicy{Mode: ContextFields}
	r.OnReject = map[Code]Action{"": {Do: RouteTo, Target: monitor}}
	e := r.edge()
	require.Equal(t, []string{analysis}, e.To)
	require.Equal(t, []Kind{Transfer}, e.Kinds)
	require.Equal(t, "ANALYZING_PROPOSALS", e.Next)
	require.Equal(t, r.Limits, e.Limits)
	require.Equal(t, r.OnReject, e.OnReject)
	require.Same(t, r.Context, e.Context)
	require.Len(t, e.Payload, 4)
	require.Equal(t, "search", (&Rule{Capability: "search"}).edge().Capability)
	require.Nil(t, (&Rule{Capability: "search"}).edge().To)
}

func BenchmarkFire(b *testing.B) {
	p := jetvision()
	c := jetCase{agent: flightSearch, trigger: "QUOTES_RECEIVED", state: "AWAITING_QUOTES", facts: map[string]any{"quotes": int64(3)}}
	ev, facts := c.event()
	b.ReportAllocs()
	for b.Loop() {
		p.Rules.fire(ev, facts, p.Machine)
	}
}
