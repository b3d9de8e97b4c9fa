// Package expression is the expression language of graph files: conditions,
// strings with ${…} in them, and whole values of such strings. It knows
// nothing of YAML or of graphs.
//
// The language is that of github.com/expr-lang/expr, whose parser reads it.
// Types are checked against a Scope when an expression is compiled. This
// package brings its own checker and evaluator, because a graph needs what
// the library's virtual machine does not give: 64-bit integers that do not
// wrap around, comparisons with null, results that are the same each time, a
// bound on what an evaluation costs, and a check whose time is bounded too.
//
// # Where expressions stand
//
// A condition is a bare expression: n < 3 && topic == "ops". A string holds
// expressions in ${ }. A string that is one ${…} and nothing else, not even a
// blank, gives the expression's own value; in every other string the values
// are put into the text. $${ stands for the characters ${. To put a dollar
// sign in front of a value, write ${"$"}${price}. Braces in strings and
// comments of an expression do not end it.
//
// In a text, a string stands as it is, a number as JSON writes it (2.0 is
// written 2), bools as true and false, null as null, a list or map as JSON on
// one line with the keys in order.
//
// # Values
//
// Values are null, bool, int (64 bits), float (64 bits), string, list, map.
// A literal without a fraction or exponent is an int, every other number a
// float. Int with int gives an int under + - * and %; what does not fit is an
// error. / and ** always give a float, 6/2 is the float 3.0. An int equals
// the float of the same value, and the two are compared exactly. A result
// that is not finite, as of a division by zero, is an error.
//
// Null is written nil or null. It equals only null. Where null stands beside
// < <= > >= the comparison is false; null is in no list that does not hold
// it, and contains, startsWith, endsWith and matches are false with it. Where
// a bool is wanted, null counts as false. Arithmetic on null, len of null and
// a part of null are errors; value ?? other gives other where value is null,
// and value?.part gives null.
//
// # Names
//
// Names are those of the Scope, those made by let, and in a predicate # for
// the element, .part for a part of it, #index for its place and, in reduce,
// #acc for what came of the elements before. A name that is a word of the
// language or has other characters than letters, digits, _ and $ is written
// $env["my-field"]. A name hides no function: with a field len, len is the
// field and len(log) the function. The words true, false and nil are always
// the values.
//
// Map keys are taken as written: facts.size and facts["size"] are the same.
// A key that is missing gives null. An index outside a list is an error;
// list[-1] is the last element and get(list, i) gives null outside. A part of
// a string is text[from:to], counted in characters as len and indexOf do.
//
// # Operators
//
//   - - * / % ** ^        arithmetic; + also joins two strings
//     == != < <= > >=       comparison; 0 <= n < 5 is both
//     && || ! and or not    logic; the right side is evaluated if it matters
//     in, not in            an element of a list, a key of a map
//     contains startsWith endsWith matches    tests of a string
//     a ? b : c   if a {b} else {c}   a ?? b  choice
//     a?.b  a[i]  a[from:to]  1..5            parts and ranges
//     let x = a; b                            a name for a value
//     list | filter(# > 1) | len()            the value is the first argument
//
// # Functions
//
// Predicates evaluate a condition or value for the elements of a list: all,
// any, none, one, filter, map, find, findIndex, findLast, findLastIndex,
// count, sum, groupBy, sortBy, reduce.
//
// Any value: len, type, string, int, float, get, toJSON, fromJSON. Numbers:
// abs, ceil, floor, round (which give floats), max, min, mean, median, bitand,
// bitor, bitxor, bitnand, bitnot, bitshl, bitshr, bitushr. Strings: trim,
// trimPrefix, trimSuffix, upper, lower, split, splitAfter, replace, repeat,
// join, indexOf, lastIndexOf, hasPrefix, hasSuffix, toBase64, fromBase64.
// Lists: first, last, take, reverse, uniq, concat, flatten, sort. Maps: keys,
// values, toPairs, fromPairs.
//
// Expressions are pure: there is no clock, no random number, no input. What
// is listed out of a map comes in the order of its keys, and sorting keeps
// the order of equal elements. groupBy makes a map, so the keys of its groups
// are text: groupBy(list, # % 2)["0"].
//
// # What differs from expr-lang
//
// now, date, duration, timezone, byte strings, methods and calls of values
// are not there. string of a list or map gives JSON; string of null gives
// null. Positions in strings count characters, not bytes. fromJSON gives ints
// for numbers without a fraction. Dividing by zero is an error. A key that
// stands twice in a map literal is an error. The keys of maps are strings
// only. #index is known in every predicate. Functions of lists refuse null
// and other values instead of handing them through.
//
// # Limits
//
// An expression has at most MaxLength bytes. Predicates nest at most once: a
// predicate may stand in another one's condition, but none in that. A
// predicate loops over a list of at most MaxLoop elements; sum and count
// without a condition take any list. One evaluation
// makes at most 20,000,000 steps, where a round of a predicate costs as many
// steps as its condition has parts and other work a step for each element or
// 64 bytes, and makes values of at most 16 MiB. A regular expression has at
// most 512 bytes. All the strings of one Value share one budget. What goes
// beyond is an error that wraps ErrLimit.
package expression
