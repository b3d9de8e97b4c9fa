package cli_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/graphrun/graphrun/internal/cli"
)

// The command runs in any process: its Env holds all that it uses.
func ExampleRun() {
	graph := `
name: greet
state: {name: {type: string}, log: {reduce: append}}
nodes:
  greet: {update: {log: ["Hello, ${name}!"]}}
edges: [START -> greet]
`
	code := cli.Run(context.Background(), cli.Env{
		Args:   []string{"run", "-", "--input", `{"name": "Ada"}`, "--quiet", "--store", "memory:"},
		Stdin:  strings.NewReader(graph),
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	})
	fmt.Println("exit code", code)
	// Output:
	// name: Ada
	// log: ["Hello, Ada!"]
	// exit code 0
}
