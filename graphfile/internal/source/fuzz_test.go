package source_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// FuzzParse holds that nothing panics or grows, that every problem has a place
// in the file, and that what was read, written as JSON, is read the same.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		"a: &x [1, {b: 'c'}, *x]\n? d\n: |+2\n   e\n\n", "- - >-\n   a\n\n    b\n", "{\"a\":\"\\uD83D\\uDE00\\/\"}",
		"%YAML 1.2\n--- \"a\\\n  b\"\n...\n", "\ufeffa:\r\n- b\r- {c, d: , ? e : f}\n", "[a: b, 'c':d, -1.5e3, 0x1F, .inf]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := source.Parse("f.yaml", data, source.Limits{Bytes: 1 << 16, Nodes: 1 << 14})
		if err != nil {
			_ = err.Error()
			if len(source.Of(err).Errors()) == 0 {
				t.Fatalf("no error in %#v", err)
			}
			return
		}
		text, err := file.Root.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := source.Parse("f.json", text, source.Limits{Bytes: 1 << 30})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if want, got := file.Root.Any(), again.Root.Any(); !reflect.DeepEqual(want, got) {
			t.Fatalf("%q: read %#v, then %#v", text, want, got)
		}
	})
}
