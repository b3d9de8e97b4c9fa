// Package house holds the repository's own rules as tests: which package may
// import which, how long files and functions may be, that every exported name
// is documented, that nothing runs before main and that no package keeps
// variables that change.
package house
