package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// memoryStore is what --store takes.
const memoryStore = "memory:"

// checkStore refuses stores that this version does not have.
func checkStore(store string, given bool) error {
	if !given || store == memoryStore {
		return nil
	}
	kind, _, found := strings.Cut(store, ":")
	if !found || kind == "" {
		return usage("--store %q: a store is written KIND:PLACE; this version knows %q", store, memoryStore)
	}
	return usage("--store %q: %s stores are not supported by this version; it knows %q", store, kind, memoryStore)
}

// maxThread is how many bytes a thread's id may have.
const maxThread = 255

// checkThread refuses ids that could not be shown or stored.
func checkThread(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("it is empty")
	case len(id) > maxThread:
		return fmt.Errorf("it has %d bytes, %d are allowed", len(id), maxThread)
	case !utf8.ValidString(id) || strings.ContainsFunc(id, hidden):
		return fmt.Errorf("%q holds characters that cannot be seen", id)
	}
	return nil
}
