// Package stored is the preset stored of package handoffs.
package stored
