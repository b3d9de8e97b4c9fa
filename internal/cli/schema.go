package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
)

const schemaHelp = `Write the JSON Schema of graph files, for editors that check and complete.

Keep it in a file and name it in the first line of a graph file:
  # yaml-language-server: $schema=graphrun.schema.json`

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Write the JSON Schema of graph files", Long: schemaHelp, Args: nothing,
		Example: "  graphrun schema > graphrun.schema.json",
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(append(bytes.TrimRight(graphfile.JSONSchema(), "\n"), '\n'))
			return unwritten(err)
		},
	}
}
