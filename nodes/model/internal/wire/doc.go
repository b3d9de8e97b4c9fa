// Package wire is what adapters of providers have in common: it reads streams
// of events, and makes errors of what goes wrong over HTTP.
package wire
