//go:build unix

package sqlite_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

// TestAUserWhoMustNotWrite runs as nobody, for whom permissions count.
func TestAUserWhoMustNotWrite(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	dir, err := os.MkdirTemp("", "nobody")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "x.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	fill(t, s, "t", 3, 3, nil)
	require.NoError(t, s.Close())
	require.NoError(t, os.Chmod(path, 0o644))
	exe := filepath.Join(dir, "test")
	copyFile(t, exe)
	require.NoError(t, os.Chmod(dir, 0o755))
	for role, says := range map[string]string{"reader": "3\n", "crowd": ""} {
		cmd := exec.Command(exe, path, "x")
		cmd.Env = append(os.Environ(), roleVar+"="+role)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if says != "" {
			require.NoError(t, err, string(out))
			require.Equal(t, says, string(out))
			continue
		}
		require.Error(t, err)
		require.Contains(t, string(out), "it can only be read")
		require.Contains(t, string(out), "open it with ReadOnly")
	}
}

// copyFile copies the binary of this test to where everybody can run it.
func copyFile(t *testing.T, to string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	from, err := os.Open(exe)
	require.NoError(t, err)
	defer from.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, from)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}
