package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

func TestRequestsWithoutARecording(t *testing.T) {
	record := func(t *testing.T, rs ...*model.Request) string {
		dir := t.TempDir()
		for _, r := range rs {
			told(&model.Recorder{Model: turns([]any{end("stop")}), Dir: dir}, t.Context(), r)
		}
		return dir
	}
	talk := func(texts ...string) *model.Request {
		r := &model.Request{}
		for i, text := range texts {
			r.Messages = append(r.Messages, state.Text([]state.Role{state.RoleHuman, state.RoleAI}[i%2], text))
		}
		return r
	}
	hot := ask("?")
	hot.MaxTokens = 7
	for name, c := range map[string]struct {
		kept []*model.Request
		as   model.Info
		r    *model.Request
		text string
	}{
		"none":    {nil, acme, ask("?"), "there are no other recordings; record anew"},
		"message": {[]*model.Request{talk("a", "b", "c"), talk("a"), talk("x", "b", "z")}, acme, talk("a", "b", "Z"), `where message 2 differs: asked {"type":"human","content":"Z"}, recorded {"type":"human","content":"c"};`},
		"long message": {[]*model.Request{ask("a long text that is the same in both, to here: 1" + fmt.Sprintf("%0200d", 1))}, acme,
			ask("a long text that is the same in both, to here: 2" + fmt.Sprintf("%0200d", 1)), `asked …is the same in both, to here: 2000`},
		"more messages":  {[]*model.Request{talk("a"), talk("x", "b")}, acme, talk("a", "b", "c"), "with 1 messages: 3 are asked;"},
		"other fields":   {[]*model.Request{ask("?")}, acme, hot, "where max_tokens differs: asked 7, recorded nothing;"},
		"another model":  {[]*model.Request{ask("?")}, model.Info{Provider: "acme", Name: "m2"}, ask("?"), `of the model "m1" of "acme";`},
		"nothing common": {[]*model.Request{everything("x", time.Time{})}, acme, ask("?"), `where message 0 differs: asked {"type":"human"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := record(t, c.kept...)
			got := told(&model.Replayer{Dir: dir, As: c.as}, t.Context(), c.r)
			require.Len(t, got, 1)
			err := got[0].(error)
			require.ErrorIs(t, err, model.NotFound)
			require.False(t, model.Retryable(err))
			require.ErrorContains(t, err, c.text)
			require.Regexp(t, `model acme m.: not found: there is no recording `+dir+`/[0-9a-f]{16}-1\.json: `, err.Error())
		})
	}
	got := told(&model.Replayer{Dir: filepath.Join(t.TempDir(), "none"), As: acme}, t.Context(), ask("?"))
	require.ErrorIs(t, got[0].(error), model.NotFound)
	require.ErrorContains(t, got[0].(error), "no such file or directory")
	got = told(&model.Replayer{}, t.Context(), ask("?"))
	require.ErrorContains(t, got[0].(error), "set Dir")
	got = told(&model.Replayer{Dir: t.TempDir()}, t.Context(), ask("\xff"))
	require.ErrorContains(t, got[0].(error), "UTF-8")
}

func TestBrokenRecordings(t *testing.T) {
	for name, c := range map[string]struct{ data, text string }{
		"empty":         {"", "line 1, column 1: unexpected end of JSON input"},
		"half":          {"{\n  \"request\": {\n", "line 2, column 15: unexpected end of JSON input"},
		"letter":        {"{\n  \"request\": {\n  x", "line 3, column 3: invalid character 'x'"},
		"two":           {"{}\n{}", "line 2, column 1: invalid character '{' after top-level value"},
		"merge":         {"<<<<<<< HEAD\n{}", "line 1, column 1: invalid character '<'"},
		"no object":     {"[]", "cannot unmarshal array"},
		"no request":    {`{"chunks":[]}`, "there is no request"},
		"unknown key":   {`{"request":{},"chunk":[]}`, `unknown field "chunk"`},
		"request":       {`{"request":{"messages":[{"type":"robot"}]}}`, `.json: request: unfit value: message type "robot"`},
		"no kind":       {`{"request":{},"chunks":[{"text":"a"},{}]}`, "chunks[1]: want one of text, reasoning, call, again and end"},
		"two kinds":     {`{"request":{},"chunks":[{"text":"a","end":{}}]}`, "chunks[0]: want one of"},
		"unknown kind":  {`{"request":{},"chunks":[{"texts":"a"}]}`, `chunks[0]: json: unknown field "texts"`},
		"text":          {`{"request":{},"chunks":[{"text":1}]}`, "chunks[0]: want a text"},
		"two arguments": {`{"request":{},"chunks":[{"call":{"name":"look","args":{},"args_text":"{"}}]}`, `chunks[0]: the call of "look" has both args and args_text`},
		"time":          {`{"request":{},"chunks":[{"again":{"attempt":2,"after":"soon"}}]}`, "chunks[0]: time: invalid duration"},
		"error":         {`{"request":{},"error":"cut"}`, "cannot unmarshal string"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			told(&model.Recorder{Model: turns([]any{end("stop")}), Dir: dir}, t.Context(), ask("?"))
			var path string
			for name := range files(t, dir) {
				path = filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, []byte(c.data), 0o600))
			}
			replayer := &model.Replayer{Dir: dir, As: acme}
			require.Equal(t, []string{filepath.Base(path)}, replayer.Unused())
			got := told(replayer, t.Context(), ask("other"))
			require.ErrorContains(t, got[0].(error), "there are no other recordings; 1 files there cannot be read")
			got = told(replayer, t.Context(), ask("?"))
			require.ErrorContains(t, got[0].(error), "model: recording "+path+": ")
			require.ErrorContains(t, got[0].(error), c.text)
			require.ErrorContains(t, got[0].(error), "mend it or record anew")
			require.False(t, model.Retryable(got[0].(error)))
		})
	}
}

func TestUnusedTellsTheModelsOwnRecordings(t *testing.T) {
	dir := t.TempDir()
	told(&model.Recorder{Model: turns([]any{end("stop")}), Dir: dir}, t.Context(), ask("?"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.json"), []byte("{}"), 0o600))
	require.Len(t, (&model.Replayer{Dir: dir, As: acme}).Unused(), 1)
	require.Empty(t, (&model.Replayer{Dir: dir, As: model.Info{Provider: "acme", Name: "m2"}}).Unused())
	require.Empty(t, (&model.Replayer{Dir: filepath.Join(dir, "none")}).Unused())
}
