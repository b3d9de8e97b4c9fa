package graph

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Place is where a part of a graph was declared: the line of a Go program or
// of a graph file. The zero Place is unknown.
type Place struct {
	File      string
	Line, Col int // from 1; 0: unknown
}

// String returns file:line:col without the parts that are unknown.
func (p Place) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// callerPlace returns the first place outside of this package.
func callerPlace() Place {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "github.com/graphrun/graphrun/graph.") || strings.HasSuffix(f.File, "_test.go") {
			return Place{File: filepath.Base(f.File), Line: f.Line}
		}
		if !more {
			return Place{}
		}
	}
}
