package cli

import (
	"github.com/spf13/cobra"
)

// flags are those that every command takes.
type flags struct {
	output *choice
	store  string
	quiet  bool
}

// add declares the flags on a command.
func (f *flags) add(cmd *cobra.Command) { f.addFor(cmd, "text", "json", "jsonl") }

// addFor declares them for a command whose results have these forms.
func (f *flags) addFor(cmd *cobra.Command, forms ...string) {
	f.output = choose(forms...)
	cmd.Flags().VarP(f.output, "output", "o", "how results are written")
	cmd.Flags().StringVar(&f.store, "store", "", "where threads are kept: sqlite:FILE, or memory: until the command ends (default: a file of the user's, see graphrun help)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "say nothing but errors on standard error")
	completeWords(cmd, "output", f.output)
	cmd.ValidArgsFunction = completeFiles
}

// check refuses values that parsing let through.
func (f *flags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("store") {
		return nil
	}
	_, err := placeOf(f.store)
	return err
}

// threadFlag is the flag of commands on a thread.
type threadFlag struct{ thread string }

func (f *threadFlag) add(cmd *cobra.Command, about string) {
	cmd.Flags().StringVar(&f.thread, "thread", "", about)
	completeNothing(cmd, "thread")
}

// check refuses ids that cannot be; where one is needed it must be there.
func (f *threadFlag) check(cmd *cobra.Command, needed bool) error {
	if !cmd.Flags().Changed("thread") {
		if needed {
			return usage("which thread? give --thread ID; graphrun threads lists them")
		}
		return nil
	}
	if err := checkThread(f.thread); err != nil {
		return usage("--thread: %w", err)
	}
	return nil
}

// completeNothing keeps a shell from offering files for a flag.
func completeNothing(cmd *cobra.Command, flag string) {
	// The error can only be that there is no such flag.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions); err != nil {
		panic(err)
	}
}
