// Package prd040 is the preset prd040 of package handoffs.
package prd040
