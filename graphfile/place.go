package graphfile

import (
	"errors"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// text is the text of a file with the report of what is wrong in it.
type text struct {
	*page.Page
	file *source.File
	rep  *source.Report
}

// place is a position as package graph carries it.
func (g *graphSpec) place(p source.Pos) graph.Place {
	return graph.Place{File: g.file.Name, Line: p.Line, Col: p.Col}
}

// reportProblems turns what package graph found into diagnostics.
func (g *graphSpec) reportProblems(problems []graph.Problem) {
	for _, p := range problems {
		at := source.Pos{Line: p.Place.Line, Col: p.Place.Col}
		if p.Place.File != g.file.Name {
			at = g.pos
		}
		if p.Warning {
			g.rep.Warnf(at, "%s", p.Message).Hint = p.Hint
		} else {
			g.rep.Errorf(at, "%s", p.Message).Hint = p.Hint
		}
	}
}

// reportCompile reports the error of a graph's Compile.
func (g *graphSpec) reportCompile(err error) {
	var wrong *graph.CompileError
	if errors.As(err, &wrong) {
		g.reportProblems(wrong.Problems)
		return
	}
	g.rep.Errorf(g.pos, "%v", err)
}
