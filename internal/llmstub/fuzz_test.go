package llmstub_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// FuzzParseScript looks that a script that is read can be played.
func FuzzParseScript(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte(`{"replies":[{"calls":[{"name":"f","args":"{"}],"fault":{"interleaved":true,"long_line":9}}]}`))
	f.Add([]byte("replies: [{calls: [{args: {a: .inf}}], times: -1}, *a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := llmstub.ParseScript(text)
		if err != nil {
			require.Nil(t, s)
			return
		}
		for i := range s.Replies {
			fault := &s.Replies[i].Fault
			fault.Delay, fault.Gap, fault.Hang, fault.LongLine = 0, 0, false, min(fault.LongLine, 100)
		}
		srv := llmstub.Handler(s)
		defer srv.Close()
		for _, wire := range wires {
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, request(t, "http://x", wire, asked(wire, "hi", true)))
			require.GreaterOrEqual(t, w.Code, 200)
		}
	})
}

// FuzzBody looks that any body is answered, and in JSON unless it is streamed.
func FuzzBody(f *testing.F) {
	for i := range 12 {
		f.Add(`{"model":"m",` + openaiBodies[i].rest + `}`)
		f.Add(`{"model":"m","max_tokens":1,` + anthropicBodies[i].rest + `}`)
	}
	f.Fuzz(func(t *testing.T, body string) {
		srv := llmstub.Handler(&llmstub.Script{Replies: []llmstub.Reply{speech(llmstub.Fault{}), speech(llmstub.Fault{})}})
		defer srv.Close()
		for _, wire := range wires {
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, request(t, "http://x", wire, body))
			require.Contains(t, []int{200, 400}, w.Code)
			if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
				require.True(t, json.Valid(w.Body.Bytes()), w.Body.String())
			}
		}
	})
}
