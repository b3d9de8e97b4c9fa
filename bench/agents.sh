#!/usr/bin/env bash
# agents.sh [COUNT]: measures what the engine costs a turn of an agent, whose
# model answers at once, COUNT times (5 if left out) and prints the medians and the
# least, as docs/benchmarks.md shows them.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run - -bench 'Turn|LongTalk' -benchtime 500x -count "${1:-5}" ./nodes | awk '
/ns\/op/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	list[name] = list[name] " " $3; allocs[name] = $(NF - 1); bytes[name] = $(NF - 3)
	if (!(name in seen)) { seen[name] = 1; order[++n] = name }
}
function sorted(name,    k, i, j, t) {
	k = split(list[name], v, " ")
	for (i = 2; i <= k; i++) { for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t } }
	return k
}
function median(name,    k) { k = sorted(name); return v[int((k + 1) / 2)] }
function least(name) { sorted(name); return v[1] }
END {
	printf "%-28s %12s %12s %12s %8s\n", "a turn", "median ns", "least ns", "bytes", "allocs"
	for (i = 1; i <= n; i++) printf "%-28s %12d %12d %12d %8d\n", order[i], median(order[i]), least(order[i]), bytes[order[i]], allocs[order[i]]
}'
