//go:build !linux && !darwin && !windows

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// tryLock fails: the system has no locks that belong to an open file.
func tryLock(*os.File, int64) (bool, error) {
	return false, fmt.Errorf("threads cannot be claimed on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// unlock fails as tryLock does.
func unlock(*os.File, int64) error { return errors.ErrUnsupported }
