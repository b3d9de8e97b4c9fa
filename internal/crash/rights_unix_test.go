//go:build unix

package crash_test

import (
	"errors"
	"syscall"
)

// nobody is the user whose rights a process of root's takes.
const nobody = 65534

// dropRights makes the process one that permissions bind.
func dropRights() error {
	return errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody))
}
