package topo_test

import (
	"testing"

	"github.com/graphrun/graphrun/internal/topo"
)

func BenchmarkChain10k(b *testing.B) {
	g := chain(10_000)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Reachable", func() { g.Reachable() }},
		{"Fillable", func() { g.Fillable() }},
		{"Components", func() { g.Components() }},
		{"Cycles", func() { g.Cycles() }},
		{"Meetings", func() { g.Meetings() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
		})
	}
	for _, f := range formats() {
		b.Run("Draw/"+string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := topo.Draw(g, topo.DrawOptions{Format: f}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkASCII draws graphs of the size that the layered drawing is meant for.
func BenchmarkASCII(b *testing.B) {
	for _, s := range samples() {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := topo.Draw(s.graph, topo.DrawOptions{Format: topo.ASCII, Open: s.open}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMeetingsTangled(b *testing.B) {
	g := ladder(60)
	for b.Loop() {
		g.Meetings()
	}
}
