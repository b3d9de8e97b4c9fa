package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says what program this is.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that were not committed
	Go       string `json:"go"`
	System   string `json:"system"`
}

// buildOf reads what the linker noted.
func buildOf() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// line is the build on one line.
func (b build) line() string {
	commit := ""
	if b.Commit != "" {
		commit = fmt.Sprintf(", commit %.12s", b.Commit)
	}
	if b.Modified {
		commit += " with changes"
	}
	return fmt.Sprintf("graphrun %s (%s, %s%s)", b.Version, b.Go, b.System, commit)
}

func (a *app) versionCommand() *cobra.Command {
	output := choose("text", "json", "jsonl")
	cmd := &cobra.Command{
		Use: "version", Short: "Say which version this is", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			if output.value != "text" {
				return a.writeJSON(buildOf())
			}
			_, err := fmt.Fprintln(a.Stdout, buildOf().line())
			return unwritten(err)
		},
	}
	cmd.Flags().VarP(output, "output", "o", "how the version is written")
	completeWords(cmd, "output", output)
	return cmd
}
