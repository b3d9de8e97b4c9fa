package checkpoint

import "errors"

// What callers branch on. Stores wrap them with what they know of the place.
var (
	// ErrNotFound: there is no such commit, thread or item.
	ErrNotFound = errors.New("not found")
	// ErrExists: the thread to copy to exists.
	ErrExists = errors.New("exists already")
	// ErrConflict: the log's head, or an item, is another one than the writer
	// believed. Nothing was written.
	ErrConflict = errors.New("the log has moved on")
	// ErrBusy: the thread has a writer.
	ErrBusy = errors.New("the thread is busy")
	// ErrFenced: another writer has taken the thread over. Nothing was
	// written, and nothing more will be by this writer.
	ErrFenced = errors.New("the thread was taken over by another writer")
	// ErrCorrupt: what is stored is not what was written.
	ErrCorrupt = errors.New("what is stored is damaged")
	// ErrInvalid: a commit, a row or a name breaks the rules of this package.
	ErrInvalid = errors.New("invalid")
	// ErrClosed: the store or the writer was closed.
	ErrClosed = errors.New("closed")
)
