package graphfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/nodes/model"
)

// FuzzParse shows that no text makes Parse panic, that every file is either
// told to be wrong, as Diagnostics, or has a graph, and that its input can be
// read without panic.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/valid/*.yaml", "testdata/broken/*.yaml", "testdata/warned/*.yaml", "testdata/teams/*.yaml", "../testdata/handoffs/X-2*.yaml", "../testdata/models/*.yaml", "../testdata/conformance/subgraph-00*.json"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	files := fstest.MapFS{
		"part.json":          {Data: []byte(`{"nodes": {"a": {"parent": true, "update": {"set": "x"}}}, "edges": ["START -> a"]}`)},
		"team/research.yaml": {Data: []byte("nodes: {a: {graph: {file: ../fuzz.yaml}}}\nedges: [START -> a]")},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("longer texts add nothing but time")
		}
		opt := &graphfile.Options{FS: files}
		if len(data)%2 == 0 { // as if it was to be run
			opt.Models = func(graphfile.ModelSpec) (model.Model, error) { return model.Func(nil), nil }
			opt.Allow = &graphfile.Allow{Exec: true, Hosts: []string{"api.example.com"}}
		}
		file, err := graphfile.Parse("fuzz.yaml", data, opt)
		var ds graphfile.Diagnostics
		var unready *graphfile.NotReady
		switch {
		case errors.As(err, &unready):
			_ = unready.Error()
		case err == nil && file.Graph() == nil:
			t.Fatal("no error and no graph")
		case err == nil:
			_, _ = file.Input([]byte(`{"log": [1], "n": 1, "x": {}}`))
		case !errors.As(err, &ds) || len(ds) == 0 || file != nil:
			t.Fatalf("the error is no diagnostics: %v", err)
		default:
			_ = ds.Error()
		}
	})
}
