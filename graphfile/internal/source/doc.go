// Package source turns the bytes of a configuration file into a positioned
// tree, safely, and renders what is wrong with it for a person to read.
//
// # What is read
//
// [Parse] and [Read] accept YAML 1.2 with the core schema, and JSON. A text that
// is valid JSON is read by encoding/json, any other by go.yaml.in/yaml/v4, both
// by the same rules for values, keys and limits. What that library reads
// otherwise than YAML 1.2 has it is settled before it sees the text, or refused.
//
// Scalars without quotes are null (null, Null, NULL, ~ or nothing), booleans
// (true and false, also True and TRUE), numbers or text. yes, no, on and off
// are text. A number written without a point and without an exponent is an
// int64 and is refused if it does not fit; 0x and 0o are read. Other numbers
// are float64 and are refused if they overflow; .inf and .nan are refused.
//
// Map keys are text as written: 1, true and null are the keys "1", "true" and
// "null". A key given twice is an error that names both places.
//
// # What is refused
//
// Some of YAML is refused with an error that says what to write instead:
//
//   - tags (!!binary, !custom), and directives other than %YAML 1.x;
//   - more than one document, and a file that holds no value;
//   - the merge key <<, unless quoted, because YAML 1.2 has none;
//   - lists, maps and aliases as keys, and keys left out;
//   - tabs that indent a line in block style;
//   - half a surrogate pair in an escape, since it is no character, and outside
//     JSON also a whole one;
//   - control characters other than tab and line break, and text that is not
//     UTF-8;
//   - outside JSON the characters U+007F to U+009F, U+2028, U+2029, U+FFFE,
//     U+FFFF and the byte order mark inside the file, unless escaped;
//   - anchors with names of other than letters, digits, '-' and '_'.
//
// In a few places the reader takes what YAML forbids, since it can be read in
// one way only: the lines of a bracketed list or map, and those of a quoted
// text, need not be indented, and empty lines in front of a block text (| or >)
// may be indented more than it. A block text reads the same whether or not the
// file ends with a line break.
//
// # Limits
//
// [Limits] bounds the bytes, the nesting and the number of nodes. An alias
// counts as all the nodes it stands for, so that a short file cannot unfold
// into a large one, and an alias inside its own anchor is an error. Reading
// takes time and memory in proportion to the file: up to about 3 KB for each
// value of YAML.
//
// # Problems
//
// A [Diagnostic] carries its position and the line it speaks of; String draws
// both. [Report] collects them while a tree is decoded: its methods read a
// [Node] as the type that is wanted and say what was found instead, and
// [Fields] reads a map, key by key, and reports the keys nobody asked for.
// Nothing stops at the first problem but the syntax, of which the first error is
// reported alone.
package source
