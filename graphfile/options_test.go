package graphfile_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

func TestAgentsInGo(t *testing.T) {
	t.Parallel()
	var f *graphfile.File
	work := func(ctx context.Context, r state.Record) (graph.Command[state.Record], error) {
		return f.Team().HandOff(ctx, r, handoffs.Command{Kind: handoffs.Return, Result: &handoffs.Outcome{Text: "by Go"}})
	}
	const file = `agents:
  a: {turns: [{handoff: {to: b, kind: call}}, {say: "${turn.results[0].outcome.text}"}]}
  b: {capabilities: go}`
	opt := &graphfile.Options{Nodes: map[string]graph.Node[state.Record]{"b": work}}
	f = parse(t, file, opt)
	s := newSession(t, f)
	s.do(op{input: "{}"})
	assert.Contains(t, s.out.String(), `a {} "by Go"`)
	_, err := graphfile.Parse("x.yaml", []byte(strings.Replace(file, "capabilities: go", "turns: [{say: x}]", 1)), opt)
	assert.ErrorContains(t, err, `agent "b" has turns in the file and is written in Go`)
}

func TestGoNodes(t *testing.T) {
	t.Parallel()
	var f *graphfile.File
	shout := func(_ context.Context, r state.Record) (graph.Command[state.Record], error) {
		words, _ := r.Get("words")
		w, err := f.Schema().Write("loud", strings.ToUpper(words.([]any)[0].(string)))
		return graph.Commands[state.Record]{}.Goto("end", w), err
	}
	f = parse(t, `state: {words: {reduce: append}, loud: {type: string}}
nodes: {end: {update: {words: "${loud}"}}}
edges: [START -> shout]`, &graphfile.Options{
		Nodes:   map[string]graph.Node[state.Record]{"shout": shout},
		Configs: map[string]graph.NodeConfig{"shout": {Goto: []string{"end"}, Writes: []string{"loud"}}},
	})
	assert.Equal(t, `{"words":["hey","HEY"],"loud":"HEY"}`, last(t, f, `{"words":"hey"}`))
}

func TestGoNodesThatAreWrong(t *testing.T) {
	t.Parallel()
	idle := func(context.Context, state.Record) (graph.Command[state.Record], error) {
		return graph.Command[state.Record]{}, nil
	}
	_, err := graphfile.Parse("x.yaml", []byte("nodes: {a: {}}\nedges: [START -> a]"), &graphfile.Options{
		Nodes:   map[string]graph.Node[state.Record]{"a": idle, "b": nil},
		Configs: map[string]graph.NodeConfig{"c": {}},
	})
	require.Error(t, err)
	assert.ErrorContains(t, err, `x.yaml:1:9: error: node "a" is in the file and written in Go`)
	assert.ErrorContains(t, err, `config for the node "c"`)
	assert.ErrorContains(t, err, `node "b" has no function`)
	_, err = graphfile.Parse("x.yaml", []byte("nodes: {a: {}}\nedges: [START -> a]"), &graphfile.Options{
		Nodes: map[string]graph.Node[state.Record]{"b": idle},
	})
	assert.ErrorContains(t, err, `nothing leads to node "b"`)
}

func TestIncludedFiles(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"main.yaml":          {Data: []byte("state: {l: {reduce: append}}\nnodes: {a: {graph: {file: teams/one.yaml}}, b: {graph: {file: teams/one.yaml}}}\nedges: [START -> a -> b]")},
		"teams/one.yaml":     {Data: []byte("state: {l: {reduce: append}}\nnodes: {x: {graph: {file: ../shared/leaf.json}}}\nedges: [START -> x]")},
		"shared/leaf.json":   {Data: []byte(`{"state": {"l": {"reduce": "append"}}, "nodes": {"y": {"update": {"l": "${len(l)}"}}}, "edges": ["START -> y"]}`)},
		"outside.yaml":       {Data: []byte("nodes: {a: {graph: {file: ../../etc/passwd}}}\nedges: [START -> a]")},
		"broken.yaml":        {Data: []byte("nodes: {a: {graph: {file: broken/syntax.yaml}}}\nedges: [START -> a]")},
		"broken/syntax.yaml": {Data: []byte("nodes: [")},
	}
	opt := &graphfile.Options{FS: files}
	f, err := graphfile.Load("main.yaml", opt)
	require.NoError(t, err)
	out, err := lines(t, f, "")
	require.NoError(t, err)
	assert.Equal(t, []string{`{"l":[]}`, `a/x/y {"l":[0]}`, `a/x {"l":[0]}`, `a {"l":[0]}`, `{"l":[0]}`,
		`b/x/y {"l":[1]}`, `b/x {"l":[1]}`, `b {"l":[1]}`, `{"l":[0,1]}`}, out)
	_, err = graphfile.Load("./outside.yaml", opt)
	assert.ErrorContains(t, err, `outside.yaml:1:27: error: "../../etc/passwd" cannot be read`)
	_, err = graphfile.Load("broken.yaml", opt)
	require.ErrorContains(t, err, "broken/syntax.yaml:1:")
	assert.NotContains(t, err.Error(), "broken.yaml:1")
}

// endless is a file that never ends, and counts what is read of it.
type endless struct{ read int }

func (e *endless) Open(string) (fs.File, error) { return e, nil }
func (e *endless) Close() error                 { return nil }
func (e *endless) Stat() (fs.FileInfo, error)   { return nil, fs.ErrInvalid }
func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	e.read += len(p)
	return len(p), nil
}

func TestLoadReadsNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	e := &endless{}
	_, err := graphfile.Load("endless.yaml", &graphfile.Options{FS: e})
	require.ErrorContains(t, err, "the file is larger than 4194304 bytes")
	assert.LessOrEqual(t, e.read, 4<<20+1)
}

func TestIncludesMustBeRegularFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no /dev/zero")
	}
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero.yaml")))
	main := filepath.Join(dir, "main.yaml")
	require.NoError(t, os.WriteFile(main, []byte("nodes: {a: {graph: {file: zero.yaml}}}\nedges: [START -> a]"), 0o644))
	_, err := graphfile.Load(main, nil)
	assert.ErrorContains(t, err, "it is no regular file")
}
