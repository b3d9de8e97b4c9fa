package source_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// TestDrawn draws what people see for each broken file in testdata.
func TestDrawn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = source.Parse(name, data, source.Limits{})
			require.Error(t, err)
			golden(t, strings.TrimSuffix(name, ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

func TestDrawnLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30)
	cases := []struct {
		name, line string
		col        int
	}{
		{"start", "goto: END", 1},
		{"end", "goto: END", 10},
		{"tabs", "a:\t[1,\t2]", 8},
		{"wide runes", "名前: [日本, x]", 10},
		{"accents put together", "e\u0301e\u0301: x", 7},
		{"emoji", "😀: 👩\u200d👧 x", 8},
		{"control characters", "a: \x1b[31m\u202ex\u009b", 9},
		{"long, at the start", long, 3},
		{"long, in the middle", long, 151},
		{"long, at the end", long, 300},
		{"long and wide", strings.Repeat("語", 200), 101},
		{"exactly as long as it may be", long[:100], 1},
		{"column behind the line", "abc", 9},
		{"empty", "", 1},
	}
	var out strings.Builder
	for _, c := range cases {
		d := source.Diagnostic{File: "f.yaml", Pos: source.Pos{Line: 12, Col: c.col}, Message: c.name, Line: c.line}
		fmt.Fprintln(&out, d)
	}
	golden(t, "lines.golden", out.String())
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	d := source.Diagnostic{Message: "broken"}
	assert.Equal(t, "error: broken", d.String())
	d = source.Diagnostic{File: "f.yaml", Message: "broken", Severity: source.Warning, Hint: "mend it"}
	assert.Equal(t, "f.yaml: warning: broken\n      = mend it", d.String())
	d = source.Diagnostic{Pos: source.Pos{Line: 123456, Col: 2}, Message: "broken", Line: "abc"}
	assert.Equal(t, "123456:2: error: broken\n123456 | abc\n       |  ^", d.String())
	assert.Equal(t, "123456:2: error: broken", d.Summary())
	assert.Equal(t, "line 3, column 4", source.Pos{Line: 3, Col: 4}.String())
	assert.Equal(t, "an unknown place", source.Pos{}.String())
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	at := func(file string, line, col int, message string, s source.Severity) source.Diagnostic {
		return source.Diagnostic{File: file, Pos: source.Pos{Line: line, Col: col}, Message: message, Severity: s}
	}
	ds := source.Diagnostics{
		at("b", 1, 1, "five", source.Error),
		at("a", 10, 1, "four", source.Warning),
		at("a", 2, 3, "two", source.Error),
		at("a", 2, 3, "three", source.Error),
		at("a", 2, 3, "two", source.Error),
		at("a", 2, 1, "one", source.Warning),
	}
	messages := func(ds source.Diagnostics) (out []string) {
		for _, d := range ds {
			out = append(out, d.Message)
		}
		return out
	}
	assert.Equal(t, []string{"one", "two", "three", "four", "five"}, messages(ds.Sorted()))
	assert.Equal(t, []string{"two", "three", "five"}, messages(ds.Errors()))
	assert.Equal(t, []string{"one", "four"}, messages(ds.Warnings()))
	assert.Equal(t, ds.Errors(), ds.Err())
	require.NoError(t, ds.Warnings().Err())
	require.NoError(t, source.Diagnostics(nil).Err())
	assert.Equal(t, ds.Errors(), source.Of(fmt.Errorf("load: %w", ds.Err())))
	assert.Nil(t, source.Of(errors.New("other")))
	assert.Equal(t, 5, strings.Count(ds.Error(), ": error: ")+strings.Count(ds.Error(), ": warning: "))
}
