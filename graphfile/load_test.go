package graphfile_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file of testdata.
func golden(t *testing.T, path, got string) {
	t.Helper()
	got += "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(pattern)))
	require.NoError(t, err)
	require.NotEmpty(t, out)
	return out
}

// TestBrokenFiles shows that every mistake of a file is told in one go, with
// its place, and that none brings others with it.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "broken/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := graphfile.Load(filepath.ToSlash(path), nil)
			require.Error(t, err)
			assert.Nil(t, f)
			var ds graphfile.Diagnostics
			require.ErrorAs(t, err, &ds)
			for _, d := range ds {
				assert.NotEmpty(t, d.File, d.Message)
			}
			_, ready := graphfile.Load(filepath.ToSlash(path), &graphfile.Options{
				Models: (&spoken{}).make, Allow: &graphfile.Allow{Exec: true, Hosts: []string{"host"}},
			})
			assert.Equal(t, err, ready, "what is missing to run it is told when it is right")
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", ds.Error())
		})
	}
}

func TestTenMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := graphfile.Load("testdata/broken/mistakes.yaml", nil)
	var ds graphfile.Diagnostics
	require.ErrorAs(t, err, &ds)
	lines := map[int]bool{}
	for _, d := range ds {
		lines[d.Pos.Line] = true
	}
	for _, line := range []int{4, 7, 10, 11, 13, 14, 16, 18, 19, 21, 22, 26, 27, 29} {
		assert.True(t, lines[line], "line %d", line)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "warned/*.yaml") {
		f, err := graphfile.Load(filepath.ToSlash(path), nil)
		require.NoError(t, err)
		golden(t, strings.TrimSuffix(path, ".yaml")+".golden", f.Warnings().Error())
	}
}

func TestValidFiles(t *testing.T) {
	t.Parallel()
	for _, path := range append(files(t, "valid/*.yaml"), files(t, "valid/*.json")...) {
		f, err := graphfile.Load(path, nil)
		require.NoError(t, err, path)
		assert.Empty(t, f.Warnings(), path)
		assert.NotNil(t, f.Graph())
	}
}

func TestFileTellsItsName(t *testing.T) {
	t.Parallel()
	f, err := graphfile.Load("testdata/valid/support.yaml", nil)
	require.NoError(t, err)
	assert.Equal(t, "support", f.Name())
	assert.Equal(t, "support", f.Graph().Name())
	assert.Equal(t, "Answers tickets, asks a person before it publishes.", f.Description())
	assert.Equal(t, []string{"log", "n", "facts", "topic", "items", "item"}, f.Schema().Fields())
}

func TestLoadTellsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := graphfile.Load("testdata/none.yaml", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "testdata/none.yaml")
	_, err = graphfile.Load("testdata", nil)
	assert.Error(t, err)
}

// TestGotosToTheParentAreNoSends shows that a goto out of a subgraph is not
// taken for a send of several tasks.
func TestGotosToTheParentAreNoSends(t *testing.T) {
	t.Parallel()
	const text = `state: {s: {}}
nodes: {a: {graph: {nodes: {x: {goto: b, parent: true}}, edges: [START -> x]}}, b: {update: {s: 1}}}
edges: [START -> a]`
	f, err := graphfile.Parse("x.yaml", []byte(text), nil)
	require.NoError(t, err)
	assert.Empty(t, f.Warnings())
	f, err = graphfile.Parse("x.yaml", []byte(strings.Replace(text, "goto: b", "send: [{to: b}, {to: b}]", 1)), nil)
	require.NoError(t, err)
	require.Len(t, f.Warnings(), 1)
	assert.Contains(t, f.Warnings()[0].Message, `two tasks of "b" may write "s"`)
}
