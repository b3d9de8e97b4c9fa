package rules

import "github.com/graphrun/graphrun/handoffs"

// Machine returns the states of the workflow, who is responsible in each, and
// which follow which. Every working state may be followed by FAILED. From there
// the error monitor may lead back, and from AWAITING_QUOTES to a new search.
func Machine() *handoffs.Machine {
	return &handoffs.Machine{
		Start: Analyzing, Final: []string{Completed, Failed}, Failed: Failed,
		States: map[string]string{
			Analyzing: Orchestrator, FetchingClientData: ClientData, SearchingFlights: FlightSearch, AwaitingQuotes: FlightSearch,
			AnalyzingProposals: ProposalAnalysis, GeneratingEmail: Communication, SendingProposal: Communication,
			Completed: Communication, Failed: ErrorMonitor,
		},
		Allowed: map[string][]string{
			Analyzing:          {FetchingClientData, SearchingFlights},
			FetchingClientData: {SearchingFlights},
			SearchingFlights:   {AwaitingQuotes},
			AwaitingQuotes:     {AnalyzingProposals, SearchingFlights},
			AnalyzingProposals: {GeneratingEmail},
			GeneratingEmail:    {SendingProposal},
			SendingProposal:    {Completed},
			Failed:             {FetchingClientData, SearchingFlights, SendingProposal, GeneratingEmail},
		},
	}
}
