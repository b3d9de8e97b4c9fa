package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find returns the absolute path of a program: one with a slash in its name is
// found from dir, any other one in the directories of path, a PATH.
func Find(name, dir, path string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		found, err := executable(name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return found, nil
	}
	for _, d := range filepath.SplitList(path) {
		if !filepath.IsAbs(d) {
			continue
		}
		if found, err := executable(filepath.Join(d, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in PATH", name)
}

// executable looks that a file can be run.
func executable(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", reason(err)
	}
	return found, nil
}

// reason is an error without the name of the file.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}
