package cli

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhereThreadsAreKept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	for _, c := range []struct {
		system, want string
		env          map[string]string
	}{
		{"linux", "/home/ada/.local/state", map[string]string{"HOME": "/home/ada"}},
		{"linux", "/var/state", map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "/var/state"}},
		{"linux", "/home/ada/.local/state", map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "state"}},
		{"darwin", "/Users/ada/Library/Application Support", map[string]string{"HOME": "/Users/ada"}},
		{"windows", "/local", map[string]string{"HOME": "/home/ada", "LocalAppData": "/local"}},
		{"linux", "", nil},
		{"linux", "", map[string]string{"HOME": "ada"}},
		{"darwin", "", nil},
		{"windows", "", map[string]string{"HOME": "/home/ada"}},
	} {
		p, err := defaultPlace(c.system, func(name string) string { return c.env[name] })
		if c.want == "" {
			require.ErrorContains(t, err, "where are threads to be kept?", c)
			continue
		}
		require.NoError(t, err, c)
		require.Equal(t, filepath.Join(c.want, "graphrun", "threads.db"), p.path)
		require.Equal(t, "sqlite:"+p.path, p.text)
		require.False(t, p.chosen)
	}
}

func TestWordsForAShell(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"": "''", "a": "a", "it's": `'it'\''s'`, "a b": "'a b'", "sqlite:/x/y.db": "sqlite:/x/y.db",
		"$(rm)": "'$(rm)'", "~": "'~'", "ü": "'ü'", "a\nb": "'a\nb'", `"`: `'"'`, "*": "'*'", "{1,2}": "'{1,2}'",
	} {
		require.Equal(t, want, shellQuote(word))
	}
	require.Equal(t, "./-x.yaml", fileWord("-x.yaml"))
	require.Equal(t, "-", fileWord("-"))
}

func TestAges(t *testing.T) {
	t.Parallel()
	then := time.Unix(1000, 0)
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 0: "just now", 59 * time.Second: "59s ago", 61 * time.Second: "1m ago",
		59 * time.Minute: "59m ago", 47 * time.Hour: "47h ago", 49 * time.Hour: "2d ago",
	} {
		require.Equal(t, want, age(then.Add(d), then))
	}
}

func TestTablesAreAligned(t *testing.T) {
	t.Parallel()
	tab := &table{rows: [][]string{{"A", "B", "C"}, {"日本", "", "x"}, {"a", "long", ""}}}
	require.Equal(t, "A     B     C\n日本        x\na     long\n", tab.String())
}
