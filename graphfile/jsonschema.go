package graphfile

import (
	_ "embed" // for the schema
)

//go:embed schema.json
var schemaText string

// JSONSchema returns the JSON Schema (draft 2020-12) of graph files, with
// which editors complete and check them. It accepts every file that Parse
// accepts. What it cannot tell is left to Parse: whether names are known,
// whether expressions are right, what leads where.
func JSONSchema() []byte { return []byte(schemaText) }
