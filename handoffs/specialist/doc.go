// Package specialist is the preset specialist of package handoffs.
package specialist
