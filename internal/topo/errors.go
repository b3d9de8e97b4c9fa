package topo

import "errors"

// ErrFormat is wrapped by the error of [Draw] for a format that it does not know.
var ErrFormat = errors.New("unknown format")

// ErrShape is wrapped by the error of [Draw] for a graph that cannot be drawn truly;
// the rest of the error names everything that is wrong.
var ErrShape = errors.New("graph cannot be drawn")
