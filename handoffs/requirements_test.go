package handoffs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/rules"
)

// Every rule that leads to the error monitor tells it one of six sorts of
// errors, and may tell whether another attempt can help. No other rule does.
func TestS3_32_ErrorTypes(t *testing.T) {
	sorts := []any{rules.ValidationError, rules.ExternalServiceError, rules.AvinodeError, rules.QuoteTimeoutError, rules.InsufficientData, rules.EmailDeliveryError}
	require.Equal(t, []any{"validation_error", "external_service_error", "avinode_error", "quote_timeout", "insufficient_data", "email_delivery_error"}, sorts)
	told := 0
	for _, r := range rules.Rules().List {
		i := slices.IndexFunc(r.Payload, func(p handoffs.RulePayload) bool { return p.Key == "errorType" })
		require.Equal(t, r.To == rules.ErrorMonitor, i >= 0, r.Name)
		if i < 0 {
			continue
		}
		told++
		require.False(t, r.Payload[i].Optional, r.Name)
		require.Subset(t, sorts, r.Payload[i].Enum, r.Name)
		require.NotEmpty(t, r.Payload[i].Enum, r.Name)
		i = slices.IndexFunc(r.Payload, func(p handoffs.RulePayload) bool { return p.Key == "retryable" })
		require.GreaterOrEqual(t, i, 0, r.Name)
		require.Equal(t, "bool", r.Payload[i].Type, r.Name)
	}
	require.Equal(t, 5, told)
}
