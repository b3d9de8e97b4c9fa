package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bounds of what one can see whole.
const (
	fileLines     = 500
	functionLines = 70
)

// generated are the files that hold data, not reasoning.
var generated = map[string]bool{"bench/wide.go": true}

type source struct {
	path  string // from the top of the tree
	set   *token.FileSet
	file  *ast.File
	lines int
}

// sources parses every Go file of the tree.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		out = append(out, source{rel, set, f, set.File(f.Pos()).LineCount()})
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(out), 50)
	return out
}

func isTest(s source) bool { return strings.HasSuffix(s.path, "_test.go") }

func TestFilesAndFunctionsCanBeSeenWhole(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if isTest(s) || generated[s.path] {
			continue
		}
		if s.lines > fileLines {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, fileLines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > functionLines {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, f.Name.Name, n, functionLines)
			}
		}
	}
}

func TestNothingRunsBeforeMain(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", s.path)
			}
		}
	}
}

// TestPackagesKeepNoVariables finds assignments to package variables: values
// that are set once where they are declared are constants in all but name.
func TestPackagesKeepNoVariables(t *testing.T) {
	t.Parallel()
	vars := map[string]map[string]bool{}
	all := sources(t)
	for _, s := range all {
		dir := filepath.Dir(s.path) + "/" + s.file.Name.Name
		if vars[dir] == nil {
			vars[dir] = map[string]bool{}
		}
		for _, d := range s.file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR && !isTest(s) {
				for _, spec := range g.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						vars[dir][name.Name] = true
					}
				}
			}
		}
	}
	for _, s := range all {
		if isTest(s) {
			continue
		}
		own := vars[filepath.Dir(s.path)+"/"+s.file.Name.Name]
		ast.Inspect(s.file, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || a.Tok == token.DEFINE {
				return true
			}
			for _, left := range a.Lhs {
				if id, ok := left.(*ast.Ident); ok && own[id.Name] && id.Obj != nil && id.Obj.Kind == ast.Var {
					if _, global := id.Obj.Decl.(*ast.ValueSpec); global && s.file.Scope.Lookup(id.Name) == id.Obj {
						t.Errorf("%s: %s is assigned to: packages keep no state", s.set.Position(a.Pos()), id.Name)
					}
				}
			}
			return true
		})
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if isTest(s) || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.path, name)
			}
		}
	}
}

// undocumented returns the exported names of a declaration without a comment.
// In a group the group's comment will do.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					names = append(names, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !exported {
			exported = id.IsExported()
			return false
		}
		return true
	})
	return exported
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	documented, seen := map[string]bool{}, map[string]string{}
	for _, s := range sources(t) {
		if isTest(s) {
			continue
		}
		dir := filepath.Dir(s.path)
		seen[dir] = s.file.Name.Name
		documented[dir] = documented[dir] || s.file.Doc != nil
	}
	for dir, name := range seen {
		require.True(t, documented[dir], "package %s in %s has no package comment", name, dir)
	}
}
