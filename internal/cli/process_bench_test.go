//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
)

const five = `
name: five
state:
  log: {reduce: append}
  n: {type: int, reduce: sum}
nodes:
  receive: {update: {log: ["receive ${n}"], n: 1}}
  sort: {update: {log: ["sort ${n}"], n: 1}}
  answer: {update: {log: ["answer ${n}"], n: 1}}
  check: {update: {log: ["check ${n}"], n: 1}}
  send: {update: {log: ["send ${n}"], n: 1}}
edges:
  - START -> receive
  - receive -> sort
  - sort -> answer
  - {from: answer, cases: [{when: n < 3, to: END}, {to: check}]}
  - check -> send
`

// BenchmarkProcess measures the program from its start to its end, running a
// graph of five nodes.
func BenchmarkProcess(b *testing.B) {
	bin, file := build(b), filepath.Join(b.TempDir(), "five.yaml")
	require.NoError(b, os.WriteFile(file, []byte(five), 0o600))
	for b.Loop() {
		out, err := exec.Command(bin, "run", file, "--store", "memory:", "--quiet").Output()
		require.NoError(b, err)
		require.NotEmpty(b, out)
	}
}

// BenchmarkCommand measures the same without the start of a process.
func BenchmarkCommand(b *testing.B) {
	file := filepath.Join(b.TempDir(), "five.yaml")
	require.NoError(b, os.WriteFile(file, []byte(five), 0o600))
	b.ReportAllocs()
	for b.Loop() {
		env := quiet([]string{"run", file, "--store", "memory:", "--quiet"})
		env.Stdout, env.Stderr = discard{}, discard{}
		require.Equal(b, 0, cli.Run(b.Context(), env))
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
