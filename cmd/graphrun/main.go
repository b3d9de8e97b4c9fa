// Command graphrun runs, checks and draws state graphs written as files. See
// graphrun --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/graphrun/graphrun/internal/cli"
)

func main() {
	// A reader that goes away is an error of the write, not the end of the
	// process, so that the terminal is left in order.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	os.Exit(cli.Run(context.Background(), cli.System(os.Args[1:], signals)))
}
