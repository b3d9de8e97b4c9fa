// Package handoffs lets agents hand work to one another.
package handoffs
