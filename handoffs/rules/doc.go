// Package rules is the preset rules of package handoffs.
package rules
