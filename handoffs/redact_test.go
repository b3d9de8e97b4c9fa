package handoffs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefaultRedactor is the secrets of X-17.
func TestDefaultRedactor(t *testing.T) {
	t.Parallel()
	block := "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----"
	for in, want := range map[string]string{
		"":                                               "",
		"nothing here: a = b, key of C":                  "nothing here: a = b, key of C",
		"use Bearer abc123def456ghi for it":              "use Bearer [redacted] for it",
		"Authorization: Basic dXNlcjpwYXNz":              "Authorization: Basic [redacted]",
		"-H 'authorization: abcdef'":                     "-H 'authorization: [redacted]'",
		"key sk-proj-abcdefghijklmnop1234 is his":        "key [redacted] is his",
		"sk_live_abcdefghijklmnop":                       "[redacted]",
		"AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE":  "[redacted] and [redacted]",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG":    "AWS_SECRET_ACCESS_KEY=[redacted]",
		"postgres://user:pa55word@db.example.com:5432/x": "postgres://user:[redacted]@db.example.com:5432/x",
		"http://host:8080/path?a=b@c":                    "http://host:8080/path?a=b@c",
		"a " + block + " b":                              "a [redacted] b",
		"cut " + block[:60]:                              "cut [redacted]",
		"ghp_abcdefghijklmnopqrstuvwxyz0123":             "[redacted]",
		"xoxb-1234567890-abc":                            "[redacted]",
		"AIza" + strings.Repeat("a", 35):                 "[redacted]",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc":       "[redacted]",
		`{"password": "hunter2!", "n": 1}`:               `{"password": "[redacted]", "n": 1}`,
		"api_key=abcd1234&x=1":                           "api_key=[redacted]&x=1",
		"user: joe\npassword: hunter2\nmore":             "user: joe\npassword: [redacted]\nmore",
		"reset the password: the customer forgot it":     "reset the password: the customer forgot it",
		"bearer responsibilities and basic knowledge of risk-taking desk-organization": "bearer responsibilities and basic knowledge of risk-taking desk-organization",
	} {
		got := DefaultRedactor().Redact(in)
		require.Equal(t, want, got)
		require.Equal(t, want, DefaultRedactor().Redact(got), "a second time changes nothing")
	}
}

func TestRedactorOfPatterns(t *testing.T) {
	t.Parallel()
	r := NewRedactor(nil, regexp.MustCompile(`C-\d+`), regexp.MustCompile(`\$1`))
	require.Equal(t, "customer [redacted], [redacted] [redacted]", r.Redact("customer C-12, C-3 $1"))
	require.Equal(t, "sk-abcdefghijklmnopqrst", NewRedactor().Redact("sk-abcdefghijklmnopqrst"))
}

func TestRedactRecordCopiesWhatChanges(t *testing.T) {
	t.Parallel()
	key, other := "sk-abcdefghijklmnopqrst", "sk-tsrqponmlkjihgfedcba"
	kept := map[string]any{"a": "b"}
	payload := map[string]any{
		"deep": []any{int64(1), map[string]any{"x": []any{"say " + key}}}, "kept": kept, "n": 1.5,
		"Client-Secret": "s", "password": int64(1234), "secret": true, "api_key": "", "tokens": "many", key: "one", other: "two",
	}
	r := Record{Explanation: "with " + key, Intent: key, Task: "plain", Payload: payload}
	redactRecord(&r, DefaultRedactor())
	require.Equal(t, Record{Explanation: "with [redacted]", Intent: "[redacted]", Task: "plain", Payload: map[string]any{
		"deep": []any{int64(1), map[string]any{"x": []any{"say [redacted]"}}}, "kept": kept, "n": 1.5,
		"Client-Secret": "[redacted]", "password": "[redacted]", "secret": true, "api_key": "", "tokens": "many", "[redacted]": "one", "[redacted]2": "two",
	}}, r)
	require.Equal(t, "say "+key, payload["deep"].([]any)[1].(map[string]any)["x"].([]any)[0], "the command's own is as it was")
	require.Equal(t, "one", payload[key])

	clean := Record{Task: "plain", Payload: map[string]any{"k": []any{kept, "x"}}}
	same := clean
	redactRecord(&clean, DefaultRedactor())
	require.Equal(t, same, clean)
	clean.Payload["new"] = 1
	require.Contains(t, same.Payload, "new", "nothing is copied if nothing changes")

	r = Record{Task: key}
	redactRecord(&r, nil)
	require.Equal(t, key, r.Task)
}

func TestRedactOutcome(t *testing.T) {
	t.Parallel()
	key := "sk-abcdefghijklmnopqrst"
	value := []any{key}
	o := Outcome{Status: Completed, Text: key, Value: value, Outputs: map[string]any{"k": key}, Error: key}
	same := o
	redactOutcome(&o, nil)
	require.Equal(t, same, o)
	redactOutcome(&o, DefaultRedactor())
	require.Equal(t, Outcome{Status: Completed, Text: Redacted, Value: []any{Redacted}, Outputs: map[string]any{"k": Redacted}, Error: Redacted}, o)
	require.Equal(t, key, value[0], "what it shared is as it was")
}

func BenchmarkRedactRecord(b *testing.B) {
	b.ReportAllocs()
	c := typicalCommand()
	red := DefaultRedactor()
	for b.Loop() {
		r := Record{Explanation: c.Explanation, Task: c.Task, Payload: c.Payload}
		redactRecord(&r, red)
	}
}
