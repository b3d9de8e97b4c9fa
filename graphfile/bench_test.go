package graphfile_test

import (
	"os"
	"testing"

	"github.com/graphrun/graphrun/graphfile"
)

// BenchmarkParse parses a file with four nodes, and the 26 of a larger one.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"support.yaml", "everything.yaml"} {
		data, err := os.ReadFile("testdata/valid/" + name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graphfile.Parse("testdata/valid/"+name, data, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRun runs a loop of 1000 supersteps with an expression, a constant
// write and a router each.
func BenchmarkRun(b *testing.B) {
	tests := []struct{ name, node string }{
		{"constant", "{update: {n: 1, s: x}}"},
		{"expression", "{update: {n: 1, s: '${n + 1}'}}"},
		{"cases", "{update: {n: 1}, cases: [{when: n < 0, goto: END}, {update: {s: x}}]}"},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			f, err := graphfile.Parse("bench.yaml", []byte("state: {n: {reduce: sum}, s: {}}\nnodes: {a: "+tt.node+
				"}\nedges: [START -> a, {from: a, cases: [{when: n < 1000, to: a}]}]\nrecursion_limit: 2000"), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Graph().Invoke(b.Context(), nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
