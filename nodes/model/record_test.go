package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

var acme = model.Info{Provider: "acme", Name: "m1"}

// files returns what is in a directory.
func files(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(data)
	}
	return out
}

// requireSame compares what was told. Of errors the text and the *Error matter.
func requireSame(t *testing.T, want, got []any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		w, isErr := want[i].(error)
		if a, ok := want[i].(model.Again); ok {
			b, isAgain := got[i].(model.Again)
			require.True(t, isAgain)
			requireSame(t, []any{a.Err}, []any{b.Err})
			a.Err, b.Err = nil, nil
			require.Equal(t, a, b)
			continue
		}
		if !isErr {
			require.Equal(t, want[i], got[i])
			continue
		}
		g, _ := got[i].(error)
		require.EqualError(t, g, w.Error())
		var we, ge *model.Error
		require.Equal(t, errors.As(w, &we), errors.As(g, &ge))
		if we != nil {
			w, g := *we, *ge
			w.Err, g.Err = nil, nil
			require.Equal(t, w, g)
		}
	}
}

// streams are all sorts of streams.
func streams() map[string][]any {
	full := &model.Error{Class: model.RateLimited, Provider: "acme", Model: "m1", Status: 429, Code: "slow_down",
		RetryAfter: 90*time.Second + 1, Text: "slow <down>", Err: errors.New("key 1234")}
	return map[string][]any{
		"nothing":    nil,
		"no end":     {text("half")},
		"text":       {text("a\n"), text(""), text("<b> & \u2028"), model.End{Stop: model.StopEnd, Usage: model.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}, Model: "m1-x", ID: "id"}},
		"bytes":      {text("\xff\x00"), text("\xc3"), text("\xa9"), model.Reasoning{Text: "\xfe"}, call("\xff", "\xff", "{\"a\":\"\xff\"}"), end("stop")},
		"reasoning":  {model.Reasoning{Text: "hm"}, model.Reasoning{Signature: []byte{0, 255}, By: "anthropic"}, model.Reasoning{Signature: []byte{}}, end("stop")},
		"calls":      {call("a", "look", `{"b":"<1>","a":[1.0,{}]}`), call("a", "look", "{ \"a\": 1 }"), call("", "look", ""), end("tool_calls")},
		"odd calls":  {call("", "", "null"), call("1", "look", `{"a":`), call("1", "look", ` `), call("1", "look", `"text"`), call("1", "look", "[]\n"), end("odd")},
		"again":      {text("a"), model.Again{Attempt: 2, After: 1500 * time.Millisecond, Err: full}, model.Again{Attempt: 3, Err: errors.New("odd")}, model.Again{Attempt: 4}, text("b"), end("stop")},
		"error":      {text("a"), full},
		"wrapped":    {fmt.Errorf("node: %w", full)},
		"other":      {errors.New("no *Error")},
		"behind":     {end("stop"), text("more"), end("stop")},
		"late error": {end("stop"), full},
	}
}

func TestWhatIsRecordedIsReplayed(t *testing.T) {
	for name, stream := range streams() {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "made", "anew")
			r := everything("x", time.Unix(1, 0))
			recorder := &model.Recorder{Model: turns(stream), Dir: dir}
			requireSame(t, append([]any(nil), stream...), told(recorder, t.Context(), r))
			kept := files(t, dir)
			require.Len(t, kept, 1)

			replayer := &model.Replayer{Dir: dir, As: acme, Strict: true}
			replayed := told(replayer, t.Context(), everything("y", time.Time{}))
			requireSame(t, append([]any(nil), stream...), replayed)
			require.Empty(t, replayer.Unused())

			// What is replayed is recorded to the same bytes.
			requireSame(t, replayed, told(&model.Recorder{Model: &model.Replayer{Dir: dir, As: acme}, Dir: dir + "2"}, t.Context(), r))
			require.Equal(t, kept, files(t, dir+"2"))
		})
	}
}

func TestRecordingIsForPeople(t *testing.T) {
	dir := t.TempDir()
	told(&model.Recorder{Model: turns([]any{text("<Hel"), text("lo>"), call("1", "look", `{"a":1}`), end("tool_calls")}), Dir: dir}, t.Context(), ask("Is 1 < 2?"))
	require.Equal(t, map[string]string{"1ec08c2984e2ed74-1.json": `{
  "provider": "acme",
  "model": "m1",
  "request": {
    "messages": [
      {
        "type": "human",
        "content": "Is 1 < 2?"
      }
    ]
  },
  "chunks": [
    {
      "text": "<Hel"
    },
    {
      "text": "lo>"
    },
    {
      "call": {
        "id": "1",
        "name": "look",
        "args": {
          "a": 1
        }
      }
    },
    {
      "end": {
        "stop": "tool_calls",
        "usage": {
          "input": 0,
          "output": 0
        }
      }
    }
  ]
}
`}, files(t, dir))
}

func TestTheSameQuestionSeveralTimes(t *testing.T) {
	dir := t.TempDir()
	recorder := &model.Recorder{Model: turns([]any{text("one"), end("stop")}, []any{fault(model.Cut)}, []any{text("two"), end("stop")}), Dir: dir}
	var want [][]any
	for range 3 {
		want = append(want, told(recorder, t.Context(), ask("?")))
	}
	require.Len(t, files(t, dir), 3)

	replayer, strict := &model.Replayer{Dir: dir, As: acme}, &model.Replayer{Dir: dir, As: acme, Strict: true}
	require.Len(t, replayer.Unused(), 3)
	for i := range want {
		requireSame(t, want[i], told(replayer, t.Context(), ask("?")))
		requireSame(t, want[i], told(strict, t.Context(), ask("?")))
		require.Len(t, replayer.Unused(), 2-i)
	}
	requireSame(t, want[2], told(replayer, t.Context(), ask("?")))
	got := told(strict, t.Context(), ask("?"))
	require.ErrorIs(t, got[0].(error), model.NotFound)
	require.ErrorContains(t, got[0].(error), "-4.json: the nearest is")
	require.ErrorContains(t, got[0].(error), "where the same is asked: it does not come as often; record anew")

	// A new recorder begins anew, and leaves what it is not asked.
	told(&model.Recorder{Model: turns([]any{text("three"), end("stop")}), Dir: dir}, t.Context(), ask("?"))
	require.Len(t, files(t, dir), 3)
	replayer = &model.Replayer{Dir: dir, As: acme}
	requireSame(t, []any{text("three"), end("stop")}, told(replayer, t.Context(), ask("?")))
	require.Len(t, replayer.Unused(), 2)
}

func TestThreadsAreRecordedApart(t *testing.T) {
	dir := t.TempDir()
	echo := model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
		return &model.Response{Message: state.Text(state.RoleAI, r.Messages[0].Text())}, nil
	})
	recorder, replayer := &model.Recorder{Model: echo, Dir: dir}, &model.Replayer{Dir: dir, Strict: true}
	for _, m := range []model.Model{recorder, replayer} {
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				question := fmt.Sprint(i % 10)
				got, err := model.Collect(m.Stream(t.Context(), ask(question)), nil)
				if err != nil || got.Message.Text() != question {
					t.Error(got, err)
				}
			})
		}
		all.Wait()
	}
	require.Len(t, files(t, dir), 40)
	require.Empty(t, replayer.Unused())
}

func TestRecorderAroundAndInsideARetry(t *testing.T) {
	attempts := func() model.Model {
		return turns([]any{text("half"), fault(model.Overloaded)}, []any{text("ha")}, []any{text("whole"), end("stop")})
	}
	for name, c := range map[string]struct {
		model func(dir string) model.Model
		play  func(dir string) model.Model
		files int
		waits bool
	}{
		"around": {
			func(dir string) model.Model {
				return &model.Recorder{Dir: dir, Model: model.Retry{Model: attempts()}}
			},
			func(dir string) model.Model { return &model.Replayer{Dir: dir, As: acme, Strict: true} }, 1, false,
		},
		"inside": {
			func(dir string) model.Model {
				return model.Retry{Model: &model.Recorder{Dir: dir, Model: attempts()}}
			},
			func(dir string) model.Model {
				return model.Retry{Model: &model.Replayer{Dir: dir, As: acme, Strict: true}}
			}, 3, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				want := told(c.model(dir), t.Context(), ask("?"))
				require.Len(t, want, 6)
				require.Len(t, files(t, dir), c.files)
				began := time.Now()
				requireSame(t, want, told(c.play(dir), t.Context(), ask("?")))
				require.Equal(t, c.waits, time.Since(began) > 0)
			})
		})
	}
}

func TestStreamsThatAreLeft(t *testing.T) {
	enough := errors.New("enough")
	for name, record := range map[string]func(*model.Recorder, context.Context){
		"reader": func(m *model.Recorder, ctx context.Context) {
			for range m.Stream(ctx, ask("?")) {
				break
			}
		},
		"context": func(m *model.Recorder, ctx context.Context) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			for _, err := range m.Stream(ctx, ask("?")) {
				cancel(enough)
				if err != nil && err != enough {
					panic(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			record(&model.Recorder{Model: hang(text("a")), Dir: dir}, t.Context())
			got := told(&model.Replayer{Dir: dir, As: acme}, t.Context(), ask("?"))
			require.Len(t, got, 2)
			require.Equal(t, text("a"), got[0])
			require.ErrorIs(t, got[1].(error), model.Cut)
			require.ErrorContains(t, got[1].(error), "the recording ends here")
		})
	}
}

func TestReplayHeedsItsContext(t *testing.T) {
	dir, enough := t.TempDir(), errors.New("enough")
	told(&model.Recorder{Model: turns([]any{text("a"), text("b"), end("stop")}), Dir: dir}, t.Context(), ask("?"))
	replayer := &model.Replayer{Dir: dir, As: acme}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var got []any
	for c, err := range replayer.Stream(ctx, ask("?")) {
		cancel(enough)
		if got = append(got, c); err != nil {
			got[len(got)-1] = err
		}
	}
	require.Equal(t, []any{text("a"), enough}, got)
	require.Equal(t, []any{enough}, told(replayer, ctx, ask("?")))
	for c := range replayer.Stream(t.Context(), ask("?")) {
		require.Equal(t, text("a"), c)
		break
	}
}

func TestRecorderThatCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	asked := false
	m := play(func(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
		asked = true
		tellAll([]any{text("a"), end("stop")}, tell)
	})
	for name, c := range map[string]struct {
		dir  string
		r    *model.Request
		text string
	}{
		"no directory": {"", ask("?"), "set Dir"},
		"a file":       {file, ask("?"), "directory of recordings"},
		"no form":      {t.TempDir(), ask("\xff"), "the request cannot be recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(&model.Recorder{Model: m, Dir: c.dir}, t.Context(), c.r)
			require.Len(t, got, 1)
			require.ErrorContains(t, got[0].(error), c.text)
			require.False(t, asked)
		})
	}
}

func TestRecorderRefusesWhatIsNoChunk(t *testing.T) {
	dir := t.TempDir()
	got := told(&model.Recorder{Model: turns([]any{text("a"), nil}), Dir: dir}, t.Context(), ask("?"))
	require.ErrorIs(t, got[1].(error), model.Malformed)
	requireSame(t, got, told(&model.Replayer{Dir: dir, As: acme}, t.Context(), ask("?")))
}

func TestAnswersThatCannotBeKeptAreErrors(t *testing.T) {
	for name, stream := range map[string][]any{
		"whole": {end("stop")}, "failed": {fault(model.Overloaded)}, "cut": {}, "left": {text("a"), text("b")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "gone")
			recorder := &model.Recorder{Dir: dir, Model: play(func(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
				require.NoError(t, os.RemoveAll(dir))
				tellAll(stream, tell)
			})}
			var got error
			for _, got = range recorder.Stream(t.Context(), ask("?")) {
				break
			}
			if name == "left" { // nobody could be told: the next call is
				require.NoError(t, got)
				got = told(recorder, t.Context(), ask("?"))[0].(error)
			}
			require.ErrorContains(t, got, "the call cannot be recorded")
			if name == "failed" {
				require.ErrorIs(t, got, model.Overloaded)
			}
		})
	}
}

func TestRecorderLeavesNoOtherFiles(t *testing.T) {
	dir := t.TempDir()
	recorder := &model.Recorder{Dir: dir, Model: turns([]any{end("stop")})}
	told(recorder, t.Context(), ask("?"))
	for name := range files(t, dir) { // in its place is what no file can replace
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	got := told(&model.Recorder{Dir: dir, Model: turns([]any{end("stop")})}, t.Context(), ask("?"))
	require.ErrorContains(t, got[0].(error), "the call cannot be recorded")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// FuzzRecording plays a file that holds anything, and records what it played.
func FuzzRecording(f *testing.F) {
	for _, stream := range streams() {
		dir := f.TempDir()
		told(&model.Recorder{Model: turns(stream), Dir: dir}, f.Context(), ask("?"))
		for _, data := range readAll(f, dir) {
			f.Add(data)
		}
	}
	f.Add([]byte(`{"request":{},"left":true,"chunks":[{"call":{"name":"","args":null}},{"text":{"base64":"YQ=="}}],"error":{}}`))
	// The file is played whatever its name says that is asked.
	r := ask("?")
	where := f.TempDir()
	told(&model.Recorder{Model: turns([]any{end("stop")}), Dir: where}, f.Context(), r)
	var name string
	for name = range readAll(f, where) {
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, second := t.TempDir(), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(first, name), data, 0o600))
		played := told(&model.Replayer{Dir: first, As: acme}, t.Context(), r)
		if len(played) == 1 {
			if err, ok := played[0].(error); ok && !json.Valid(data) {
				require.ErrorContains(t, err, name)
			}
		}
		kept := told(&model.Recorder{Model: &model.Replayer{Dir: first, As: acme}, Dir: second}, t.Context(), r)
		requireSame(t, played, kept)
		requireSame(t, played, told(&model.Replayer{Dir: second, As: acme}, t.Context(), r))
		written := readAll(t, second)
		told(&model.Recorder{Model: &model.Replayer{Dir: second, As: acme}, Dir: first}, t.Context(), r)
		require.Equal(t, written, readAll(t, first))
	})
}

func readAll(t testing.TB, dir string) map[string][]byte {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
