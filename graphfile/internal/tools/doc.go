// Package tools reads the section tools of graph files: external commands and HTTP
// calls that models may use. Make makes one ready to run, if that is allowed.
package tools
