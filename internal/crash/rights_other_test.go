//go:build !unix

package crash_test

import "errors"

func dropRights() error { return errors.New("there is no such thing here") }
