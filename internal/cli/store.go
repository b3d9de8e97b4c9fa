package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// memoryStore is the store that ends with the command.
const memoryStore = "memory:"

// place is where threads are kept, as --store says.
type place struct {
	text   string // as it is written behind --store
	path   string // of the SQLite file; "": memory
	chosen bool   // it was given, not found out
}

// placeOf reads a place behind --store.
func placeOf(store string) (place, error) {
	kind, path, found := strings.Cut(store, ":")
	switch {
	case !found || kind == "":
		return place{}, usage("--store %q: a store is written KIND:PLACE: sqlite:FILE or memory:%s", store, sqliteHint(store))
	case kind == "memory" && path == "":
		return place{text: store, chosen: true}, nil
	case kind == "memory":
		return place{}, usage("--store %q: what is kept in memory has no name; write memory:", store)
	case kind == "sqlite" && path == "":
		return place{}, usage("--store %q: the file is missing: sqlite:FILE", store)
	case kind == "sqlite" && strings.ContainsRune(path, 0):
		return place{}, usage("--store %q: the name of a file cannot have a NUL byte", store)
	case kind == "sqlite":
		return place{text: store, path: path, chosen: true}, nil
	}
	return place{}, usage("--store %q: there are no %s stores; sqlite:FILE and memory: are there%s", store, kind, didYouMean(kind, []string{"sqlite", "memory"}))
}

// sqliteHint guesses what a file name without a kind was meant to be.
func sqliteHint(store string) string {
	if store == "" || store == "memory" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", "sqlite:"+store)
}

// defaultPlace is the file of the user's threads.
func defaultPlace(system string, getenv func(string) string) (place, error) {
	dir, err := stateDir(system, getenv)
	if err != nil {
		return place{}, err
	}
	path := filepath.Join(dir, "graphrun", "threads.db")
	return place{text: "sqlite:" + path, path: path}, nil
}

// stateDir is where programs of a system keep what the user's sessions leave
// behind. A relative XDG_STATE_HOME is passed over, as its standard demands.
func stateDir(system string, getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, variable := getenv("HOME"), "HOME"
	switch system {
	case "windows":
		home, variable = getenv("LocalAppData"), "LocalAppData"
	case "darwin":
		home = filepath.Join(home, "Library", "Application Support")
	default:
		home = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(home) {
		return "", usage("where are threads to be kept? Neither XDG_STATE_HOME nor %s names a directory; give --store sqlite:FILE or --store memory:", variable)
	}
	return home, nil
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
