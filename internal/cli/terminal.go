package cli

import (
	"os"

	"github.com/google/uuid"
	"golang.org/x/term"
)

// terminalOf looks at what the standard streams are connected to.
func terminalOf(stdin, stdout, stderr *os.File) Terminal {
	t := Terminal{Stdin: isTerminal(stdin), Stdout: isTerminal(stdout), Stderr: isTerminal(stderr)}
	t.Size = func() (int, int) {
		for _, f := range []*os.File{stderr, stdout} {
			if columns, rows, err := term.GetSize(int(f.Fd())); err == nil {
				return columns, rows
			}
		}
		return 0, 0
	}
	return t
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func newThread() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}
