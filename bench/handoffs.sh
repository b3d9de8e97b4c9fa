#!/usr/bin/env bash
# handoffs.sh [COUNT]: runs the workloads with handoffs COUNT times (5 if left
# out) and prints the medians and the least, and the ratio of a handoff in SQLite
# to a plain step, as docs/benchmarks.md shows them.
set -euo pipefail
cd "$(dirname "$0")/.."
{
	go test -run - -bench 'Transfer$|Call$|Spawn$|TransferIn' -benchtime 500ms -count "${1:-5}" ./handoffs
	go test -run - -bench 'SessionsX18/(history|last|count)' -benchtime 1s ./handoffs
} | awk '
/ns\/op/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	for (i = 3; i <= NF; i++) {
		if ($i ~ /^(ns\/handoff|least-ns\/handoff|µs\/(plain|transfer)|p99-ms)$/) {
			key = name " " $i
			list[key] = list[key] " " $(i - 1)
			if (!(key in seen)) { seen[key] = 1; order[++n] = key }
		}
	}
}
function sorted(key,    k, i, j, t) {
	k = split(list[key], v, " ")
	for (i = 2; i <= k; i++) { for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t } }
	return k
}
function median(key,    k) { k = sorted(key); return v[int((k + 1) / 2)] }
function least(key) { sorted(key); return v[1] }
END {
	printf "%-36s %-17s %10s %10s\n", "workload", "unit", "median", "least"
	for (i = 1; i <= n; i++) {
		split(order[i], part, " "); note = ""
		if (order[i] ~ /\/transfer\//) {
			base = order[i]; gsub(/transfer/, "plain", base)
			note = sprintf("  %.2f × a plain step, %.2f by the least", median(order[i]) / median(base), least(order[i]) / least(base))
		}
		printf "%-36s %-17s %10.5g %10.5g%s\n", part[1], part[2], median(order[i]), least(order[i]), note
	}
}'
