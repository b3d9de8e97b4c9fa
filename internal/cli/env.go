package cli

import (
	"io"
	"os"
	"strings"
	"time"
)

// Env is all that the command uses of the world around it. Args, Stdin, Stdout
// and Stderr are needed; the rest may be left out, as its comments say.
type Env struct {
	// Args are the arguments behind the program's name.
	Args []string

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Getenv reads an environment variable; nil: none is set.
	Getenv func(name string) string
	// ReadFile reads the file of --input @FILE; nil: os.ReadFile.
	ReadFile func(name string) ([]byte, error)
	// Terminal says what the streams are connected to.
	Terminal Terminal
	// Signals brings requests to stop; nil: there are none.
	Signals <-chan os.Signal
	// Now reads the clock, for durations and for when things were stored; nil:
	// time.Now.
	Now func() time.Time
	// NewThread makes the id of a new thread; nil: a UUID of version 7.
	NewThread func() (string, error)
	// Memory is what --store memory: stands for, so that several commands of
	// one process can share it; nil: an empty one for each command.
	Memory *Memory
}

// Terminal says which streams are terminals. The zero Terminal: none is.
type Terminal struct {
	Stdin, Stdout, Stderr bool
	// Size returns columns and rows, 0 where they are not known; nil: never
	// known. It is asked again for every picture, as windows change.
	Size func() (columns, rows int)
}

// System returns the Env of the process that it is called in.
func System(args []string, signals <-chan os.Signal) Env {
	return Env{
		Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Terminal: terminalOf(os.Stdin, os.Stdout, os.Stderr), Signals: signals,
	}
}

// filled puts defaults where nothing was given.
func (e Env) filled() Env {
	if e.Args == nil {
		e.Args = []string{}
	}
	if e.Stdin == nil {
		e.Stdin = strings.NewReader("")
	}
	if e.Getenv == nil {
		e.Getenv = func(string) string { return "" }
	}
	if e.ReadFile == nil {
		e.ReadFile = os.ReadFile
	}
	if e.Terminal.Size == nil {
		e.Terminal.Size = func() (int, int) { return 0, 0 }
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.NewThread == nil {
		e.NewThread = newThread
	}
	return e
}
