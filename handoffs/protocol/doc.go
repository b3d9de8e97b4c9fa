// Package protocol is the preset protocol of package handoffs.
package protocol
