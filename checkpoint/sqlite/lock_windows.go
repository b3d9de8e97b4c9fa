package sqlite

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// Flags of LockFileEx, and what it says of a byte that is locked.
const (
	failImmediately = 1
	exclusive       = 2
	lockViolation   = syscall.Errno(33)
	ioPending       = syscall.Errno(997)
)

// tryLock locks one byte of a file for this open file, if nobody else has
// locked it. The byte need not exist.
func tryLock(f *os.File, offset int64) (bool, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	if err := proc.Find(); err != nil {
		return false, err
	}
	over := &syscall.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
	ok, _, err := proc.Call(f.Fd(), failImmediately|exclusive, 0, 1, 0, uintptr(unsafe.Pointer(over)))
	if ok != 0 {
		return true, nil
	}
	if errors.Is(err, lockViolation) || errors.Is(err, ioPending) {
		return false, nil
	}
	return false, err
}

// unlock gives a byte back.
func unlock(f *os.File, offset int64) error {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("UnlockFileEx")
	if err := proc.Find(); err != nil {
		return err
	}
	over := &syscall.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
	if ok, _, err := proc.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(over))); ok == 0 {
		return err
	}
	return nil
}
