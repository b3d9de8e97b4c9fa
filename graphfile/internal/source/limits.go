package source

import "math"

// Limits bounds what is read. A field that is zero or negative means its
// default.
type Limits struct {
	// Bytes is the largest file; the default is 4 MiB.
	Bytes int
	// Depth is how many lists and maps may stand inside one another, those an
	// alias brings included; the default is 64, and more than 10,000 is taken
	// as 10,000.
	Depth int
	// Nodes is the largest number of values, where an alias counts as all the
	// values it stands for; the default is 200,000. Of a file that is not JSON
	// the signs with which a value may begin are counted as well, those inside
	// texts included: , [ { and, in front of a blank, : - ?.
	Nodes int
}

const (
	defaultBytes = 4 << 20
	defaultDepth = 64
	defaultNodes = 200_000
	mostDepth    = 10_000
)

func (l Limits) filled() Limits {
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	l.Bytes = min(l.Bytes, math.MaxInt32)
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	l.Depth = min(l.Depth, mostDepth)
	if l.Nodes <= 0 {
		l.Nodes = defaultNodes
	}
	return l
}
