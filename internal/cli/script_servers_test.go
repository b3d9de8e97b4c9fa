package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// stub starts a server of models that says what a file tells, for the rest of the
// script: stub FILE. The environment leads to it, with keys.
func stub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stub FILE")
	}
	s, err := llmstub.ParseScript([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	srv := llmstub.New(s)
	ts.Defer(func() {
		srv.Close()
		for _, text := range append(srv.Unexpected(), srv.Unused()...) {
			ts.Logf("%s", text)
		}
	})
	ts.Setenv("OPENAI_BASE_URL", srv.URL()+"/v1")
	ts.Setenv("OPENAI_API_KEY", "sk-script-openai")
	ts.Setenv("ANTHROPIC_BASE_URL", srv.URL())
	ts.Setenv("ANTHROPIC_API_KEY", "sk-script-anthropic")
	ts.Setenv("OLLAMA_HOST", srv.URL())
	ts.Setenv("STUB", srv.URL())
}

// web starts a server for HTTP tools, whose address is $WEB and $WEBHOST.
func web(ts *testscript.TestScript, neg bool, args []string) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the other host") }))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL+"/", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/near"):
			http.Redirect(w, r, "/echo/near", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/big"):
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		case strings.HasPrefix(r.URL.Path, "/broken"):
			http.Error(w, "no such city; you are "+r.Header.Get("Authorization"), http.StatusTeapot)
		case strings.HasPrefix(r.URL.Path, "/slow"):
			<-r.Context().Done()
		default:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s auth=%s type=%s body=%s", r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body)
		}
	}))
	ts.Defer(srv.Close)
	ts.Defer(other.Close)
	ts.Setenv("WEB", srv.URL)
	ts.Setenv("WEBHOST", strings.TrimPrefix(srv.URL, "http://"))
}

// fill puts environment variables in the place of @NAME@ in files: fill FILE...
func fill(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		for _, v := range []string{"WEB", "WEBHOST", "STUB"} {
			text = strings.ReplaceAll(text, "@"+v+"@", ts.Getenv(v))
		}
		ts.Check(writeFile(ts.MkAbs(name), text))
	}
}

func writeFile(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) }
