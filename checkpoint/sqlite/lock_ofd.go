//go:build linux || darwin

package sqlite

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// tryLock locks one byte of a file for this open file, if nobody else has
// locked it. The byte need not exist.
func tryLock(f *os.File, offset int64) (bool, error) {
	err := control(f, offset, syscall.F_WRLCK)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	return err == nil, err
}

// unlock gives a byte back.
func unlock(f *os.File, offset int64) error { return control(f, offset, syscall.F_UNLCK) }

func control(f *os.File, offset int64, kind int16) error {
	for {
		err := syscall.FcntlFlock(f.Fd(), setLock, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: 1})
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
