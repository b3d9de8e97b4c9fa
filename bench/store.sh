#!/usr/bin/env bash
# store.sh [COUNT]: runs the workloads with a store COUNT times (5 if left out)
# and prints the medians, and the ratios that docs/benchmarks.md shows: to the
# same work without a store, or to plain SQLite in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run - -bench 'Chain/(engine|goroutine)/1000$|Kept|SQLite|Talk|Resume' -benchtime 200ms -count "${1:-5}" ./bench | awk '
/ns\/op/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	v = $3; unit[name] = "ns/op"
	for (i = 2; i <= NF; i++) {
		if ($i == "ns/node") { v = $(i - 1); unit[name] = "ns/step" }
		if ($i == "bytes/message-byte") { more[name] = "file ÷ messages: " $(i - 1) }
	}
	times[name] = times[name] " " v
	if (!(name in seen)) { seen[name] = 1; order[++n] = name }
}
function median(name,    v, k, i, j, t) {
	k = split(times[name], v, " ")
	for (i = 2; i <= k; i++) { for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t } }
	return v[int((k + 1) / 2)]
}
function ratio(name, base) { return sprintf("%.2f × %s  ", median(name) / median(base), base) }
END {
	for (i = 1; i <= n; i++) {
		name = order[i]; note = more[name]
		if (name ~ /^Kept/) note = ratio(name, "Chain/engine/1000") ratio(name, "Chain/goroutine/1000")
		if (name ~ /^SQLiteStep\/(sync|async|exit)/) note = ratio(name, "SQLiteStep/bare")
		if (name == "SQLiteStep/async") note = note ratio(name, "SQLiteStep/sync")
		if (name == "SQLiteThreads/64") note = ratio(name, "SQLiteThreads/1")
		if (name ~ /^Talk\/state/) { base = name; sub(/state/, "read", base); note = note "  " ratio(name, base); sub(/read/, "readAndDecode", base); note = note ratio(name, base) }
		if (name == "Resume/resume") note = sprintf("%.2f ms over opening", (median(name) - median("Resume/open")) / 1e6)
		printf "%-22s %12.0f %-8s %s\n", name, median(name), unit[name], note
	}
}'
