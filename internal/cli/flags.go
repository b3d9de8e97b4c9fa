package cli

import "github.com/spf13/cobra"

// flags are those that every command on a graph file takes.
type flags struct {
	output *choice
	store  string
	quiet  bool
}

// add declares the flags on a command.
func (f *flags) add(cmd *cobra.Command) {
	f.output = choose("text", "json", "jsonl")
	cmd.Flags().VarP(f.output, "output", "o", "how results are written")
	cmd.Flags().StringVar(&f.store, "store", "", "where threads are kept: memory: (until the command ends)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "say nothing but errors on standard error")
	completeWords(cmd, "output", f.output)
	cmd.ValidArgsFunction = completeFiles
}

// check refuses values that parsing let through.
func (f *flags) check(cmd *cobra.Command) error {
	return checkStore(f.store, cmd.Flags().Changed("store"))
}
