package model_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
)

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*model.Error{
		"model: cut":               {Class: model.Cut},
		"model acme: rate limited": {Class: model.RateLimited, Provider: "acme"},
		"model acme m1: rate limited (HTTP 429): slow down; it asks to wait 1.5s": {Class: model.RateLimited, Provider: "acme",
			Model: "m1", Status: 429, Code: "rate", Text: "slow down", RetryAfter: 1500 * time.Millisecond, Err: errors.New("key 1234")},
	} {
		require.Equal(t, want, e.Error())
	}
}

func TestErrorIsFound(t *testing.T) {
	err := fmt.Errorf("node: %w", &model.Error{Class: model.Cut, Err: io.ErrUnexpectedEOF})
	require.ErrorIs(t, err, model.Cut)
	require.NotErrorIs(t, err, model.TimedOut)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "model: timed out", model.TimedOut.Error())
}

func TestRetryable(t *testing.T) {
	for class, want := range map[model.Class]bool{
		model.RateLimited: true, model.Overloaded: true, model.Unreachable: true, model.Cut: true, model.Malformed: true, model.TimedOut: true,
		model.Auth: false, model.Quota: false, model.Invalid: false, model.TooLong: false, model.NotFound: false, model.Unsupported: false,
		model.Broken: false, "": false, "new": false,
	} {
		require.Equal(t, want, model.Retryable(fmt.Errorf("node: %w", fault(class))), class)
	}
	require.False(t, model.Retryable(nil))
	require.False(t, model.Retryable(model.Cut), "a class alone is no failure")
}

func TestHide(t *testing.T) {
	require.Equal(t, "a [redacted] b [redacted]", model.Hide("a sk-12 b sk-12", "sk-12", "", "a"))
	require.Equal(t, "[redacted] and [redacted]", model.Hide("sk-12 and sk-12-long", "sk-12", "sk-12-long"), "the longer one first")
	require.Equal(t, "as it is", model.Hide("as it is"))
}

func TestExcerpt(t *testing.T) {
	require.Equal(t, "short", model.Excerpt("short"))
	require.Equal(t, strings.Repeat("a", 300), model.Excerpt(strings.Repeat("a", 300)))
	require.Equal(t, strings.Repeat("a", 300)+"… (301 bytes)", model.Excerpt(strings.Repeat("a", 301)))
	require.Equal(t, "a"+strings.Repeat("é", 149)+"… (401 bytes)", model.Excerpt("a"+strings.Repeat("é", 200)), "no rune is cut")
	require.Equal(t, "… (400 bytes)", model.Excerpt(strings.Repeat("\x80", 400)))
}
