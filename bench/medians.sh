#!/usr/bin/env bash
# medians.sh [COUNT]: runs all workloads COUNT times (5 if left out) and prints
# the medians of time and allocations for each node, and the ratios to what one
# would write by hand, as docs/benchmarks.md shows them.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run - -bench . -benchtime 100ms -count "${1:-5}" ./bench | awk '
/ns\/node/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	for (i = 2; i <= NF; i++) {
		if ($i == "ns/node") { times[name] = times[name] " " $(i - 1) }
		if ($i == "allocs/op") { allocs[name] = $(i - 1) }
	}
	if (!(name in seen)) { seen[name] = 1; order[++n] = name }
}
function median(list,    v, k, i, j, t) {
	k = split(list, v, " ")
	for (i = 2; i <= k; i++) { for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t } }
	return v[int((k + 1) / 2)]
}
function base(name,    part) {
	split(name, part, "/")
	if (part[1] == "Chain" && part[2] == "engine") return "Chain/goroutine/" part[3]
	if (part[1] == "Loop" && part[2] != "goroutine") return "Loop/goroutine/" part[3]
	if (part[1] == "Fan" && part[2] != "errgroup") return "Fan/errgroup/" part[3]
	if (name == "Wide") return "WideBase"
	if (name == "Cancellable") return "Chain/goroutine/1000"
	return ""
}
function size(name,    part, k) {
	k = split(name, part, "/")
	return part[k] + 0 > 0 ? part[k] : (name ~ /^Wide/ ? 50 : (name ~ /^(Stream|Cancellable)$/ ? 1000 : 1))
}
END {
	printf "%-24s %10s %12s %8s\n", "workload", "ns/node", "allocs/node", "ratio"
	for (i = 1; i <= n; i++) {
		name = order[i]; b = base(name)
		ratio = b == "" ? "" : sprintf("%.2f", median(times[name]) / median(times[b]))
		printf "%-24s %10.1f %12.2f %8s\n", name, median(times[name]), allocs[name] / size(name), ratio
	}
}'
