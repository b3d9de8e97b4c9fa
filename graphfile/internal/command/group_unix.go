//go:build unix

package command

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group puts a program into a process group of its own, which is killed as one.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return end(cmd) }
}

// end kills the group of a program.
func end(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
