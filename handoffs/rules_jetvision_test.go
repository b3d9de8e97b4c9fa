package handoffs

import (
	"fmt"
	"time"
)

// The rules of a broker for charter flights, as they were first written down,
// and mended.

// given are facts by name.
func factsOf(values map[string]any) Facts {
	return func(name string) (any, bool) { v, ok := values[name]; return v, ok }
}

// tellsField makes a guard as a function of one fact, with what Lint may know
// of it.
func tellsField(text, field string, holds func(v any) bool, known ...[]Comparison) *Guard {
	return &Guard{Text: text, Range: known, Holds: func(f Facts) (bool, string, error) {
		v, _ := factAt(f, field)
		return holds(v), explainFact(field, v), nil
	}}
}

func atLeast(field string, n int64) *Guard {
	return tellsField(fmt.Sprintf("%s >= %d", field, n), field, func(v any) bool { x, ok := v.(int64); return ok && x >= n },
		[]Comparison{{field, ">=", n}})
}

func below(field string, n int64) *Guard {
	return tellsField(fmt.Sprintf("%s < %d", field, n), field, func(v any) bool { x, ok := v.(int64); return ok && x < n },
		[]Comparison{{field, "<", n}})
}

func isOneOf(field string, words ...any) *Guard {
	var known [][]Comparison
	for _, w := range words {
		known = append(known, []Comparison{{field, "==", w}})
	}
	return tellsField(field+" fits", field, func(v any) bool {
		for _, w := range words {
			if v == w {
				return true
			}
		}
		return false
	}, known...)
}

// clientGiven and nobodyGiven are functions of several facts.
func clientGiven() *Guard {
	return &Guard{
		Text:  "client name or email given",
		Range: [][]Comparison{{{"client_name", "!=", nil}}, {{"client_email", "!=", nil}}},
		Holds: func(f Facts) (bool, string, error) {
			name, named := f("client_name")
			email, mailed := f("client_email")
			return named || mailed, explainFact("client_name", name) + ", " + explainFact("client_email", email), nil
		},
	}
}

func noClientID() *Guard {
	return &Guard{
		Text:  "no client id, or after the client's data",
		Range: [][]Comparison{{{"client_id", "==", nil}}, {{"trigger", "==", "CLIENT_DATA_COMPLETE"}}},
		Holds: func(f Facts) (bool, string, error) {
			id, known := f("client_id")
			trigger, _ := f("trigger")
			return !known || trigger == "CLIENT_DATA_COMPLETE", explainFact("client_id", id), nil
		},
	}
}

func fromFact(name string) *Value {
	return &Value{Text: name, Eval: func(f Facts) (any, error) { v, _ := f(name); return v, nil }}
}

func needs(key, typ string) RulePayload {
	return RulePayload{PayloadField: PayloadField{Key: key, Type: typ}}
}

func mayHave(key, typ string) RulePayload {
	return RulePayload{PayloadField: PayloadField{Key: key, Type: typ, Optional: true}}
}

func computed(key, typ, fact string) RulePayload {
	return RulePayload{PayloadField: PayloadField{Key: key, Type: typ}, From: fromFact(fact)}
}

// request is what every payload has.
func request(more ...RulePayload) []RulePayload {
	return append([]RulePayload{computed("requestId", "string", "request"), computed("sessionId", "string", "session")}, more...)
}

// problem is what payloads for the error monitor have.
func problem(more ...RulePayload) []RulePayload {
	kinds := []any{"validation_error", "external_service_error", "avinode_error", "quote_timeout", "insufficient_data", "email_delivery_error"}
	kind := RulePayload{PayloadField: PayloadField{Key: "errorType", Type: "string", Enum: kinds}}
	return request(append([]RulePayload{kind, mayHave("retryable", "bool")}, more...)...)
}

const (
	orchestrator = "ORCHESTRATOR"
	clientData   = "CLIENT_DATA"
	flightSearch = "FLIGHT_SEARCH"
	analysis     = "PROPOSAL_ANALYSIS"
	mailer       = "COMMUNICATION"
	monitor      = "ERROR_MONITOR"
)

func jetAgents() *Registry {
	r := MustRegistry()
	for _, id := range []string{orchestrator, clientData, flightSearch, analysis, mailer, monitor} {
		r = r.With(Profile{ID: id})
	}
	return r
}

func jetMachine() *Machine {
	return &Machine{
		Start: "ANALYZING", Final: []string{"COMPLETED", "FAILED"}, Failed: "FAILED",
		States: map[string]string{
			"ANALYZING": orchestrator, "FETCHING_CLIENT_DATA": clientData, "SEARCHING_FLIGHTS": flightSearch,
			"AWAITING_QUOTES": flightSearch, "ANALYZING_PROPOSALS": analysis, "GENERATING_EMAIL": mailer,
			"SENDING_PROPOSAL": mailer, "COMPLETED": mailer, "FAILED": monitor,
		},
		Allowed: map[string][]string{
			"ANALYZING":            {"FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS"},
			"FETCHING_CLIENT_DATA": {"SEARCHING_FLIGHTS"},
			"SEARCHING_FLIGHTS":    {"AWAITING_QUOTES"},
			"AWAITING_QUOTES":      {"ANALYZING_PROPOSALS", "SEARCHING_FLIGHTS"},
			"ANALYZING_PROPOSALS":  {"GENERATING_EMAIL"},
			"GENERATING_EMAIL":     {"SENDING_PROPOSAL"},
			"SENDING_PROPOSAL":     {"COMPLETED", "GENERATING_EMAIL"},
			"FAILED":               {"FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS", "SENDING_PROPOSAL", "GENERATING_EMAIL"},
		},
	}
}

func jetRules() *Rules {
	retry := func() *Retry { return &Retry{Max: 3, Initial: time.Second, Factor: 2} }
	urgency := fromFact("urgency")
	return &Rules{List: []Rule{
		{Name: "1.1", From: []string{orchestrator}, To: clientData, When: clientGiven(), Triggers: []string{"ANALYZING_COMPLETE"},
			Next: "FETCHING_CLIENT_DATA", Priority: High, Task: "fetch_client_data", Reason: PlanStep,
			Explanation: "data of {client_name} are needed",
			Payload:     request(mayHave("clientName", "string"), mayHave("clientEmail", "string"), needs("rfpData", "map")), Place: "rules.yaml:3:5"},
		{Name: "1.2", From: []string{orchestrator}, To: flightSearch, When: noClientID(), Triggers: []string{"ANALYZING_COMPLETE", "CLIENT_DATA_COMPLETE"},
			Next: "SEARCHING_FLIGHTS", Urgency: urgency, Task: "search_flights", Reason: PlanStep,
			Payload: request(needs("rfpData", "map"), mayHave("clientProfile", "map")), Place: "rules.yaml:9:5"},
		{Name: "1.3", From: []string{orchestrator}, To: monitor, Triggers: []string{"ANALYZING_FAILED"}, Next: "FAILED", Priority: Urgent,
			Reason: ErrorRecovery, Payload: problem(mayHave("missingFields", "list")), Place: "rules.yaml:15:5"},
		{Name: "2.1", From: []string{clientData}, To: flightSearch, Triggers: []string{"CLIENT_DATA_COMPLETE"}, Next: "SEARCHING_FLIGHTS", Urgency: urgency,
			Task: "search_flights", Reason: PlanStep,
			Payload: request(needs("rfpData", "map"), mayHave("clientProfile", "map"), mayHave("clientPreferences", "map")), Place: "rules.yaml:20:5"},
		{Name: "2.2", From: []string{clientData}, To: monitor, Triggers: []string{"CLIENT_DATA_FAILED"}, Next: "FAILED", Again: "FETCHING_CLIENT_DATA", Priority: High,
			Reason: ErrorRecovery, Payload: problem(needs("service", "string")), Place: "rules.yaml:25:5"},
		{Name: "3.1", From: []string{flightSearch}, To: analysis, When: atLeast("quotes", 3), Triggers: []string{"QUOTES_RECEIVED"}, Next: "ANALYZING_PROPOSALS",
			Task: "analyze_proposals", Reason: PlanStep, Explanation: "{source} has {quotes} quotes for {target}",
			Payload: request(needs("rfpId", "string"), computed("quotesCount", "int", "quotes")), Place: "rules.yaml:30:5"},
		{Name: "3.2", From: []string{flightSearch}, To: monitor, Triggers: []string{"SEARCHING_FLIGHTS_FAILED", "AWAITING_QUOTES_TIMEOUT"}, Next: "FAILED", Again: "SEARCHING_FLIGHTS",
			Priority: High, Reason: ErrorRecovery, Payload: problem(mayHave("rfpId", "string")), Place: "rules.yaml:36:5"},
		{Name: "4.1", From: []string{analysis}, To: mailer, When: atLeast("proposals", 3), Triggers: []string{"ANALYSIS_COMPLETE"}, Next: "GENERATING_EMAIL",
			Task: "send_proposal_email", Reason: PlanStep, Payload: request(needs("topProposals", "list"), mayHave("clientProfile", "map")), Place: "rules.yaml:41:5"},
		{Name: "4.2", From: []string{analysis}, To: monitor, When: below("quotes", 3), Triggers: []string{"ANALYSIS_FAILED"}, Next: "FAILED", Priority: High,
			Reason: ErrorRecovery, Payload: problem(computed("quotesReceived", "int", "quotes"), needs("minimumRequired", "int")), Place: "rules.yaml:46:5"},
		{Name: "5.1", From: []string{mailer}, To: monitor, Triggers: []string{"SENDING_PROPOSAL_FAILED"}, Next: "FAILED", Again: "GENERATING_EMAIL", Priority: Urgent,
			Reason: ErrorRecovery, Payload: problem(needs("recipient", "string")), Place: "rules.yaml:51:5"},
		{Name: "6.1", From: []string{monitor}, To: clientData, When: isOneOf("service", "sheets"), Triggers: []string{"ERROR_RETRY"}, Next: "FETCHING_CLIENT_DATA",
			Priority: High, Reason: ErrorRecovery, Retry: retry(), Payload: request(needs("originalError", "string"), mayHave("clientName", "string")), Place: "rules.yaml:56:5"},
		{Name: "6.2", From: []string{monitor}, To: flightSearch, When: isOneOf("service", "avinode"), Triggers: []string{"ERROR_RETRY"}, Next: "SEARCHING_FLIGHTS",
			Priority: High, Reason: ErrorRecovery, Retry: retry(), Payload: request(needs("originalError", "string")), Place: "rules.yaml:61:5"},
		{Name: "6.3", From: []string{monitor}, To: mailer, When: isOneOf("service", "gmail"), Triggers: []string{"ERROR_RETRY"}, Next: "SENDING_PROPOSAL",
			Priority: Urgent, Reason: ErrorRecovery, Retry: retry(), Payload: request(needs("emailPayload", "map")), Place: "rules.yaml:66:5"},
	}}
}

// jetvision is the policy as it was first written down.
func jetvision() *Policy {
	p := &Policy{Registry: jetAgents(), Entry: orchestrator, Edges: []Edge{}, Rules: jetRules(), Machine: jetMachine(), Limits: Limits{Handoffs: 20}}
	p.Rules.Emits = []Emission{
		{Trigger: "ANALYZING_COMPLETE", By: []string{orchestrator}}, {Trigger: "ANALYZING_FAILED", By: []string{orchestrator}},
		{Trigger: "CLIENT_DATA_COMPLETE", By: []string{clientData}}, {Trigger: "CLIENT_DATA_FAILED", By: []string{clientData}},
		{Trigger: "QUOTES_RECEIVED", By: []string{flightSearch}, In: []string{"AWAITING_QUOTES"}},
		{Trigger: "SEARCHING_FLIGHTS_FAILED", By: []string{flightSearch}}, {Trigger: "AWAITING_QUOTES_TIMEOUT", By: []string{flightSearch}},
		{Trigger: "ANALYSIS_COMPLETE", By: []string{analysis}}, {Trigger: "ANALYSIS_FAILED", By: []string{analysis}},
		{Trigger: "SENDING_PROPOSAL_FAILED", By: []string{mailer}}, {Trigger: "ERROR_RETRY", By: []string{monitor}},
	}
	p.Rules.Sets = map[string][]string{analysis: {"proposals"}, monitor: {}}
	p.Rules.Expect, p.Rules.ExpectAt = map[string]int{"COMPLETED": 5}, map[string]string{"COMPLETED": "rules.yaml:1:12"}
	return p
}

// mended is the policy without its defects.
func mended() *Policy {
	p := jetvision()
	for i := range p.Rules.List {
		switch r := &p.Rules.List[i]; r.Name {
		case "1.2":
			r.When = Compare([]Comparison{{"client_name", "==", nil}, {"client_email", "==", nil}})
			r.Triggers = []string{"ANALYZING_COMPLETE"}
		case "4.2":
			r.When = below("proposals", 3)
		case "5.1":
			r.Again = "SENDING_PROPOSAL"
		}
	}
	p.Rules.Expect = map[string]int{"COMPLETED": 4}
	return p
}
