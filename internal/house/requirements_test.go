package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rows is how many requirements each list has.
var rows = []struct {
	list string
	n    int
}{{"S0", 64}, {"S1", 46}, {"S2", 39}, {"S3", 53}, {"S4", 42}}

// TestRequirements looks that docs/requirements.md has every requirement once,
// and that each symbol and each test that it names exists.
func TestRequirements(t *testing.T) {
	data, err := os.ReadFile("../../docs/requirements.md")
	require.NoError(t, err)
	known := newSymbols()
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		m := regexp.MustCompile(`^\| (S\d-\d\d) \|([^|]*)\|([^|]*)\|([^|]*)\|\s*$`).FindStringSubmatch(line)
		if m == nil {
			require.NotRegexp(t, `^\| S\d`, line, "a row has four cells")
			continue
		}
		id := m[1]
		require.False(t, seen[id], "%s is there twice", id)
		seen[id] = true
		require.NotEmpty(t, strings.TrimSpace(m[2]), id)
		symbols, tests := quoted(m[3]), quoted(m[4])
		require.True(t, len(symbols) > 0, "%s names nothing that does it", id)
		require.True(t, len(tests) > 0, "%s names no test", id)
		for _, s := range append(symbols, tests...) {
			require.NoError(t, known.check(t, s), id)
		}
	}
	for _, list := range rows {
		for i := 1; i <= list.n; i++ {
			id := fmt.Sprintf("%s-%02d", list.list, i)
			require.True(t, seen[id], "%s is missing", id)
		}
	}
}

// quoted returns what stands between back quotes.
func quoted(cell string) (out []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// symbols knows what packages declare, tests included, by directory.
type symbols map[string]map[string]bool

func newSymbols() symbols { return symbols{} }

// check looks that a file of testdata or docs, or dir.Name, dir.Type.Member or
// dir.TestName exists.
func (s symbols) check(t *testing.T, name string) error {
	if strings.HasPrefix(name, "testdata/") || strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "bench/") {
		_, err := os.Stat(filepath.Join("../..", name))
		return err
	}
	dir, what, ok := strings.Cut(name, ".")
	if !ok {
		return fmt.Errorf("%q is no file and no package.Name", name)
	}
	if s[dir] == nil {
		s[dir] = declared(t, filepath.Join("../..", dir))
	}
	if !s[dir][what] {
		return fmt.Errorf("%q: the package %s declares no %s", name, dir, what)
	}
	return nil
}

// declared returns the names that the Go files of a directory declare, members
// as Type.Member.
func declared(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			declare(out, d)
		}
	}
	return out
}

func declare(out map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		out[name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					out[n.Name] = true
				}
			case *ast.TypeSpec:
				out[spec.Name.Name] = true
				members(out, spec)
			}
		}
	}
}

func members(out map[string]bool, spec *ast.TypeSpec) {
	var list *ast.FieldList
	switch x := spec.Type.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			out[spec.Name.Name+"."+n.Name] = true
		}
	}
}

// receiver is the type's name of a method's receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
