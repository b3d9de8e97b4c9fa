package house

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/graphrun/graphrun/"

// arrows says which packages of the module each package may import, directly
// or not. A name stands for the package and those inside of it. The reasons
// are told when a test fails.
var arrows = []struct {
	pkg string
	may []string
	why string
}{
	{"state", nil, "the state is the leaf that everything stands on"},
	{"checkpoint", nil, "a store holds bytes and knows no state"},
	{"internal/fieldjson", []string{"state"}, "values of a state's fields, and no more"},
	{"internal/jsonwrite", []string{"state"}, "a writer of JSON knows no type that it writes"},
	{"internal/llmstub", nil, "a server of the wire knows nothing of its clients"},
	{"internal/schemacheck", nil, "schemas know nothing of what they check"},
	{"internal/topo", nil, "pure algorithms over shapes"},
	{"internal/kernel", []string{"state"}, "the core does no input or output and knows no graph"},
	{"internal/journal", []string{"state", "checkpoint", "internal/kernel"}, "a log knows the machine and the store, not the graph"},
	{"graph", []string{"state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "the engine knows no node kind, no model and no handoff"},
	{"handoffs", []string{"internal/fieldjson", "internal/jsonwrite", "graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "handoffs work on any agent that is a node"},
	{"plan", []string{"internal/schemacheck", "internal/fieldjson", "internal/jsonwrite", "handoffs", "internal/expression", "graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "a plan names nodes and knows no kind of them"},
	{"nodes", []string{"internal/schemacheck", "internal/fieldjson", "internal/jsonwrite", "handoffs", "graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "node kinds stand on the engine"},
	{"nodes/model", []string{"nodes/transcript", "state"}, "a model knows nothing of graphs"},
	{"nodes/transcript", []string{"state"}, "what a model is sent is a function of the conversation alone"},
	{"graphfile", []string{"internal/schemacheck", "internal/fieldjson", "internal/jsonwrite", "internal/expression", "nodes", "handoffs", "plan", "graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "files are read into graphs, not the other way round"},
	{"graphtest", []string{"nodes", "graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "test helpers stand beside the command"},
	{"bench", []string{"graph", "state", "checkpoint", "internal/journal", "internal/kernel", "internal/topo"}, "measures the library as users have it"},
}

// pure are the packages that a deterministic core must not import itself.
var pure = map[string][]string{
	"internal/kernel":  {"context", "time", "sync", "sync/atomic", "os", "net", "math/rand", "math/rand/v2", "crypto/rand", "io/fs"},
	"state":            {"context", "sync", "os", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand"},
	"internal/topo":    {"context", "time", "sync", "os", "net", "math/rand", "math/rand/v2", "crypto/rand"},
	"nodes/transcript": {"context", "time", "sync", "os", "net", "math/rand", "math/rand/v2", "crypto/rand"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

// list returns the packages that patterns match, with what they import.
func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Imports,Deps,Standard"}, patterns...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
}

// within reports whether a package path is name or inside of it.
func within(path, name string) bool {
	path = strings.TrimPrefix(path, module)
	return path == name || strings.HasPrefix(path, name+"/")
}

func TestPackagesImportOnlyDownwards(t *testing.T) {
	t.Parallel()
	all := list(t, "./...")
	require.Greater(t, len(all), 8)
	for _, p := range all {
		for _, rule := range arrows {
			if !within(p.ImportPath, rule.pkg) {
				continue
			}
			for _, dep := range p.Deps {
				if !strings.HasPrefix(dep, module) || within(dep, rule.pkg) {
					continue
				}
				allowed := slices.ContainsFunc(rule.may, func(name string) bool { return within(dep, name) })
				require.True(t, allowed, "%s imports %s: %s", p.ImportPath, dep, rule.why)
			}
		}
	}
}

func TestTheCoreIsPure(t *testing.T) {
	t.Parallel()
	for name, bad := range pure {
		for _, p := range list(t, "./"+name) {
			for _, imported := range p.Imports {
				require.NotContains(t, bad, imported, "%s imports %q: what it does must depend on its inputs alone", name, imported)
			}
		}
	}
}

func TestTheLibraryNeedsNothingButTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./graph", "./handoffs/...", "./nodes/transcript") {
		own := strings.HasPrefix(p.ImportPath, module)
		require.True(t, own || p.Standard, "the library links %s: a program with the library alone should build fast and stay small", p.ImportPath)
	}
}

func TestNoProductionCodeLinksTestHelpers(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		if within(p.ImportPath, "checkpoint/checkpointtest") { // it is a test helper, for stores of other people too
			continue
		}
		for _, dep := range p.Deps {
			require.False(t, strings.Contains(dep, "stretchr/testify") || dep == "testing", "%s links %s, which is for tests", p.ImportPath, dep)
		}
	}
}
