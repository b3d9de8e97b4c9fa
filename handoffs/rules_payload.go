package handoffs
