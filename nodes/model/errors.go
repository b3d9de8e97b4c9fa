package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Class says what sort of failure an Error is. It is an error itself, for
// errors.Is.
type Class string

// The classes. Those that another attempt may heal are Retryable.
const (
	RateLimited Class = "rate_limited" // too many requests or tokens; wait
	Overloaded  Class = "overloaded"   // the provider's fault: 5xx, 529
	Unreachable Class = "unreachable"  // no connection
	Cut         Class = "cut"          // the stream ended before the answer did
	Malformed   Class = "malformed"    // the answer is not what the wire form promises
	TimedOut    Class = "timed_out"    // a Deadline, or the provider's
	Auth        Class = "auth"         // the key is missing, wrong, or may not do this
	Quota       Class = "quota"        // the account has nothing left; waiting does not help
	Invalid     Class = "invalid"      // the provider does not take the request
	TooLong     Class = "too_long"     // the conversation exceeds what the model takes
	NotFound    Class = "not_found"    // no such model or address
	Unsupported Class = "unsupported"  // the adapter or the provider cannot do what is asked
	Broken      Class = "broken"       // the client library failed: it panicked
)

// Error tells the class, so that a class serves as a sentinel.
func (c Class) Error() string { return "model: " + strings.ReplaceAll(string(c), "_", " ") }

// Retryable tells that another attempt may heal a failure of the class.
func (c Class) Retryable() bool {
	switch c {
	case RateLimited, Overloaded, Unreachable, Cut, Malformed, TimedOut:
		return true
	}
	return false
}

// Error is a call of a model that failed.
type Error struct {
	Class    Class
	Provider string // as Info has it
	Model    string
	Status   int    // of HTTP; 0: none
	Code     string // as the provider names it; may be empty
	// RetryAfter is how long the provider asks to wait; 0: it does not say.
	RetryAfter time.Duration
	Text       string // for people, without secrets
	Err        error  // what is behind it; may be nil. Its text is not told.
}

// Error tells who failed, how and what to make of it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model")
	for _, name := range []string{e.Provider, e.Model} {
		if name != "" {
			b.WriteString(" " + name)
		}
	}
	b.WriteString(": " + strings.ReplaceAll(string(e.Class), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; it asks to wait %s", e.RetryAfter)
	}
	return b.String()
}

// Is finds the class.
func (e *Error) Is(target error) bool { return target == e.Class }

// Retryable tells that another attempt may heal it, as its class says. A
// graph.RetryPolicy heeds it.
func (e *Error) Retryable() bool { return e.Class.Retryable() }

// Unwrap returns what is behind it.
func (e *Error) Unwrap() error { return e.Err }

// Retryable tells that another attempt may heal an error: an *Error of a class
// that says so.
func Retryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Class.Retryable()
}

// Hide takes secrets out of a text. Secrets of less than four bytes are left.
// One that is part of another does not keep that one from being found.
func Hide(text string, secrets ...string) string {
	longest := slices.SortedStableFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
	for _, s := range longest {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return text
}

// Excerpt returns the beginning of a text that may be long.
func Excerpt(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:cut], len(text))
}
