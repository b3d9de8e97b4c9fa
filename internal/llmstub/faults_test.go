package llmstub_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

var update = flag.Bool("update", false, "write the golden files")

// speech is a reply with something of everything.
func speech(f llmstub.Fault) llmstub.Reply {
	return llmstub.Reply{
		Text: "It <rains>.", Reasoning: "So what?", Fault: f,
		Calls: []llmstub.Call{{Name: "look", Args: `{"city":"Malmö"}`}, {ID: "mine", Name: "go"}},
		Usage: llmstub.Usage{Input: 100, CacheRead: 60, CacheWrite: 30},
	}
}

var faults = []struct {
	name  string
	fault llmstub.Fault
}{
	{"none", llmstub.Fault{}},
	{"slow", llmstub.Fault{Delay: time.Millisecond, Gap: time.Millisecond}},
	{"429", llmstub.Fault{Status: 429, RetryAfter: "2", Header: map[string]string{"X-Request-Id": "r7"}}},
	{"401", llmstub.Fault{Status: 401}}, {"400", llmstub.Fault{Status: 400}},
	{"403", llmstub.Fault{Status: 403}}, {"404", llmstub.Fault{Status: 404}},
	{"500", llmstub.Fault{Status: 500}}, {"503", llmstub.Fault{Status: 503}}, {"529", llmstub.Fault{Status: 529}},
	{"502_html", llmstub.Fault{Status: 502, Body: "<html>Bad Gateway</html>"}},
	{"raw_json", llmstub.Fault{Body: `{"choices":[]}`}},
	{"raw_stream", llmstub.Fault{Body: "data: {}\r\rdata: [DONE]\r\r"}},
	{"status_wrong", llmstub.Fault{Status: 42}},
	{"cut", llmstub.Fault{Cut: 2}}, {"cut_far", llmstub.Fault{Cut: 1000}},
	{"end", llmstub.Fault{End: 2}}, {"end_first", llmstub.Fault{End: -1}},
	{"error", llmstub.Fault{ErrorAfter: 2}}, {"error_first", llmstub.Fault{ErrorAfter: -1}},
	{"wrong_json", llmstub.Fault{WrongJSON: true}},
	{"args_tail", llmstub.Fault{ArgsTail: ",,"}},
	{"empty_chunks", llmstub.Fault{EmptyChunks: true}},
	{"comments_crlf", llmstub.Fault{Comments: true, CRLF: true}},
	{"no_usage", llmstub.Fault{NoUsage: true}}, {"no_finish", llmstub.Fault{NoFinish: true}},
	{"interleaved", llmstub.Fault{Interleaved: true}}, {"repeat_ids", llmstub.Fault{RepeatIDs: true}},
	{"no_type_no_index", llmstub.Fault{NoType: true, NoIndex: true}},
}

// TestFaults compares what each fault does, streamed and whole, byte by byte.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, wire := range wires {
		for _, c := range faults {
			t.Run(wire+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				var text strings.Builder
				for _, stream := range []bool{true, false} {
					g := post(t, serve(t, speech(c.fault)), wire, asked(wire, "hi", stream))
					fmt.Fprintf(&text, "## stream %t: %d %s %s%s\n%s\n", stream, g.status, g.header.Get("Content-Type"), g.header.Get("Retry-After"), g.header.Get("X-Request-Id"), g.body)
					if g.err != nil {
						fmt.Fprintf(&text, "## %v\n", g.err)
					}
				}
				golden(t, wire+"_"+c.name, text.String())
			})
		}
	}
}

// golden compares with a file of testdata. Ends of lines with both are written as ␍.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	text = strings.ReplaceAll(text, "\r", "␍")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

func TestCutBeforeAnything(t *testing.T) {
	t.Parallel()
	for _, wire := range wires {
		srv := serve(t, llmstub.Reply{Times: -1, Text: "hi", Fault: llmstub.Fault{Cut: -1}})
		g := post(t, srv, wire, asked(wire, "hi", true))
		require.Equal(t, 200, g.status)
		require.Empty(t, g.body)
		require.ErrorContains(t, g.err, "unexpected EOF")
		r := request(t, srv.URL(), wire, asked(wire, "hi", false))
		_, err := noRetry.Do(r)
		require.ErrorContains(t, err, "EOF")
	}
}

// TestLongLine sends more in one event than any usual buffer holds.
func TestLongLine(t *testing.T) {
	t.Parallel()
	const long = 2 << 20
	for _, wire := range wires {
		for _, stream := range []bool{true, false} {
			srv := serve(t, llmstub.Reply{Text: "hi", Fault: llmstub.Fault{LongLine: long}})
			g := post(t, srv, wire, asked(wire, "hi", stream))
			require.NoError(t, g.err)
			lines := bufio.NewScanner(strings.NewReader(g.body))
			lines.Buffer(nil, 2*long)
			longest := ""
			for lines.Scan() {
				if len(lines.Text()) > len(longest) {
					longest = lines.Text()
				}
			}
			require.NoError(t, lines.Err())
			require.True(t, json.Valid([]byte(strings.TrimPrefix(longest, "data: "))))
			require.Contains(t, longest, strings.Repeat("x", long))
		}
	}
}
