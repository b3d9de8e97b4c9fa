// Package specialist is being written (router.go).
package specialist
