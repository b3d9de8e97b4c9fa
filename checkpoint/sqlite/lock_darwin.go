package sqlite

// setLock is F_OFD_SETLK: a lock that belongs to the open file, not to the
// process.
const setLock = 90
