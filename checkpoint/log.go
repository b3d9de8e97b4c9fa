package checkpoint

import (
	"strconv"
	"strings"
)

// Child returns the namespace of the run that a task starts: the task with
// the given place in the step behind commit seq of namespace ns. Forks of a
// thread have commits of their own, and so their tasks have namespaces of
// their own.
func Child(ns string, seq int64, place int) string {
	b := make([]byte, 0, len(ns)+16)
	if ns != "" {
		b = append(append(b, ns...), '/')
	}
	b = append(strconv.AppendInt(b, seq, 10), '.')
	return string(strconv.AppendInt(b, int64(place), 10))
}

// Within reports whether namespace ns is that of a task behind a commit of
// namespace outer, directly or further in, and which commit that is.
func Within(outer, ns string) (seq int64, ok bool) {
	if outer != "" {
		if ns, ok = strings.CutPrefix(ns, outer+"/"); !ok {
			return 0, false
		}
	}
	first, _, _ := strings.Cut(ns, "/")
	number, _, ok := strings.Cut(first, ".")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseInt(number, 10, 64)
	return seq, err == nil
}
