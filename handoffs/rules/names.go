package rules

import "github.com/graphrun/graphrun/handoffs"

// The agents of the workflow.
const (
	Orchestrator     = "ORCHESTRATOR"
	ClientData       = "CLIENT_DATA"
	FlightSearch     = "FLIGHT_SEARCH"
	ProposalAnalysis = "PROPOSAL_ANALYSIS"
	Communication    = "COMMUNICATION"
	ErrorMonitor     = "ERROR_MONITOR"
)

// The states of the workflow.
const (
	Analyzing          = "ANALYZING"
	FetchingClientData = "FETCHING_CLIENT_DATA"
	SearchingFlights   = "SEARCHING_FLIGHTS"
	AwaitingQuotes     = "AWAITING_QUOTES"
	AnalyzingProposals = "ANALYZING_PROPOSALS"
	GeneratingEmail    = "GENERATING_EMAIL"
	SendingProposal    = "SENDING_PROPOSAL"
	Completed          = "COMPLETED"
	Failed             = "FAILED"
)

// The triggers that rules answer.
const (
	AnalyzingComplete      = "ANALYZING_COMPLETE"
	AnalyzingFailed        = "ANALYZING_FAILED"
	ClientDataComplete     = "CLIENT_DATA_COMPLETE"
	ClientDataFailed       = "CLIENT_DATA_FAILED"
	QuotesReceived         = "QUOTES_RECEIVED"
	SearchingFlightsFailed = "SEARCHING_FLIGHTS_FAILED"
	AwaitingQuotesTimeout  = "AWAITING_QUOTES_TIMEOUT"
	AnalysisComplete       = "ANALYSIS_COMPLETE"
	AnalysisFailed         = "ANALYSIS_FAILED"
	SendingProposalFailed  = "SENDING_PROPOSAL_FAILED"
	ErrorRetry             = "ERROR_RETRY"
)

// The sorts of errors, as payloads for the error monitor have them under
// "errorType".
const (
	ValidationError      = "validation_error"
	ExternalServiceError = "external_service_error"
	AvinodeError         = "avinode_error"
	QuoteTimeoutError    = "quote_timeout"
	InsufficientData     = "insufficient_data"
	EmailDeliveryError   = "email_delivery_error"
)

// The tasks that rules hand over.
const (
	TaskFetchClientData  = "fetch_client_data"
	TaskSearchFlights    = "search_flights"
	TaskAnalyzeProposals = "analyze_proposals"
	TaskSendProposal     = "send_proposal_email"
)

// The priorities. In the queue they have the levels 1, 2, 5 and 10.
const (
	Urgent = handoffs.Urgent
	High   = handoffs.High
	Normal = handoffs.Normal
	Low    = handoffs.Low
)
