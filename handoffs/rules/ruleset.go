package rules

import "github.com/graphrun/graphrun/handoffs"

// Rules returns the handoff rules 1.1 to 6.3, and who emits what they answer.
//
// Facts are looked up in the trigger's payload first, then among the facts that
// the workflow has: rfpData, clientName, clientEmail, clientProfile,
// clientPreferences, rfpId, quotesCount, topProposals, recipient and emailPayload,
// where they are known, and urgency, which may raise the priority of a search.
// requestId and sessionId are the workflow's, whatever a trigger says.
//
// Where the rules as people first tell them contradict one another it is so: of
// one trigger one rule fires. Rule 1.2 answers ANALYZING_COMPLETE alone, when no
// client is given; behind the client's data, found or not, 2.1 searches. Rule 4.2
// looks at the proposals that are left, since 3.1 lets no fewer than three quotes
// pass. Rules 5.1 and 6.3 both lead to SENDING_PROPOSAL: the mail is written.
func Rules() *handoffs.Rules {
	r := &handoffs.Rules{
		List: list(), Emits: emissions(), Sets: map[string][]string{ErrorMonitor: {}}, Expect: map[string]int{Completed: 4},
	}
	Complete(r, ErrorMonitor)
	return r
}

func list() []handoffs.Rule {
	return []handoffs.Rule{
		{Name: "1.1", From: one(Orchestrator), To: ClientData, Triggers: one(AnalyzingComplete), When: known(true, "clientName", "clientEmail"),
			Next: FetchingClientData, Priority: High, Reason: handoffs.PlanStep, Task: TaskFetchClientData,
			Payload: payload(may("clientName", "string"), may("clientEmail", "string"), must("rfpData", "map"))},
		{Name: "1.2", From: one(Orchestrator), To: FlightSearch, Triggers: one(AnalyzingComplete), When: known(false, "clientName", "clientEmail"),
			Next: SearchingFlights, Priority: Normal, Urgency: value("urgency"), Reason: handoffs.PlanStep, Task: TaskSearchFlights,
			Payload: payload(must("rfpData", "map"), may("clientProfile", "map"))},
		{Name: "1.3", From: one(Orchestrator), To: ErrorMonitor, Triggers: one(AnalyzingFailed), Next: Failed, Priority: Urgent,
			Reason: handoffs.ErrorRecovery, Payload: problem(one(ValidationError), may("missingFields", "list"))},
		{Name: "2.1", From: one(ClientData), To: FlightSearch, Triggers: one(ClientDataComplete), Next: SearchingFlights, Priority: Normal,
			Urgency: value("urgency"), Reason: handoffs.PlanStep, Task: TaskSearchFlights,
			Payload: payload(must("rfpData", "map"), may("clientProfile", "map"), may("clientPreferences", "map"))},
		{Name: "2.2", From: one(ClientData), To: ErrorMonitor, Triggers: one(ClientDataFailed), Next: Failed, Again: FetchingClientData,
			Priority: High, Reason: handoffs.ErrorRecovery, Payload: problem(one(ExternalServiceError), must("service", "string"))},
		{Name: "3.1", From: one(FlightSearch), To: ProposalAnalysis, Triggers: one(QuotesReceived), When: enoughQuotes(),
			Next: AnalyzingProposals, Priority: Normal, Reason: handoffs.PlanStep, Task: TaskAnalyzeProposals,
			Payload: payload(must("rfpId", "string"), must("quotesCount", "int"))},
		{Name: "3.2", From: one(FlightSearch), To: ErrorMonitor, Triggers: []string{SearchingFlightsFailed, AwaitingQuotesTimeout},
			Next: Failed, Again: SearchingFlights, Priority: High, Reason: handoffs.ErrorRecovery,
			Payload: problem([]string{AvinodeError, QuoteTimeoutError}, may("rfpId", "string"))},
		{Name: "4.1", From: one(ProposalAnalysis), To: Communication, Triggers: one(AnalysisComplete), When: proposals(true),
			Next: GeneratingEmail, Priority: Normal, Reason: handoffs.PlanStep, Task: TaskSendProposal,
			Payload: payload(must("topProposals", "list"), may("clientProfile", "map"))},
		{Name: "4.2", From: one(ProposalAnalysis), To: ErrorMonitor, Triggers: one(AnalysisFailed), When: proposals(false), Next: Failed,
			Priority: High, Reason: handoffs.ErrorRecovery, Payload: problem(one(InsufficientData), must("quotesReceived", "int"), minimum())},
		{Name: "5.1", From: one(Communication), To: ErrorMonitor, Triggers: one(SendingProposalFailed), Next: Failed, Again: SendingProposal,
			Priority: Urgent, Reason: handoffs.ErrorRecovery, Payload: problem(one(EmailDeliveryError), must("recipient", "string"))},
		again("6.1", ClientData, FetchingClientData, TaskFetchClientData, High, may("clientName", "string")),
		again("6.2", FlightSearch, SearchingFlights, TaskSearchFlights, High, may("rfpData", "map")),
		again("6.3", Communication, SendingProposal, TaskSendProposal, Urgent, may("emailPayload", "map")),
	}
}

// again is a rule by which the error monitor tries again what failed.
func again(name, to, next, task string, p handoffs.Priority, more handoffs.RulePayload) handoffs.Rule {
	return handoffs.Rule{
		Name: name, From: one(ErrorMonitor), To: to, Triggers: one(ErrorRetry), When: retryOf(name), Next: next, Priority: p, Task: task,
		Reason: handoffs.ErrorRecovery, Payload: payload(count(name), must("originalError", "string"), more),
	}
}

func emissions() []handoffs.Emission {
	by := func(agent string, triggers ...string) (out []handoffs.Emission) {
		for _, t := range triggers {
			out = append(out, handoffs.Emission{Trigger: t, By: one(agent)})
		}
		return out
	}
	out := by(Orchestrator, AnalyzingComplete, AnalyzingFailed)
	out = append(out, by(ClientData, ClientDataComplete, ClientDataFailed)...)
	out = append(out, by(FlightSearch, SearchingFlightsFailed)...)
	for _, t := range []string{QuotesReceived, AwaitingQuotesTimeout} {
		out = append(out, handoffs.Emission{Trigger: t, By: one(FlightSearch), In: one(AwaitingQuotes)})
	}
	out = append(out, by(ProposalAnalysis, AnalysisComplete, AnalysisFailed)...)
	out = append(out, by(Communication, SendingProposalFailed)...)
	return append(out, by(ErrorMonitor, ErrorRetry)...)
}

func one(name string) []string { return []string{name} }
