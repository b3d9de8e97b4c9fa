// Package sealed encrypts what stores of checkpoints and of long-term memory
// keep, whatever store that is.
//
// New wraps a checkpoint.Store and NewItems a checkpoint.Items. What goes in is
// sealed with AES-256-GCM under a key of the caller's; what comes out is opened
// and proved. Every blob carries the id of its key, so that keys can be changed:
// see Config.
package sealed
