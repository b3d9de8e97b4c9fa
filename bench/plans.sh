#!/usr/bin/env bash
# plans.sh [COUNT]: runs plans of 1,000 steps COUNT times (5 if left out) and
# prints the medians and the least of a step, and its ratio to a plain step of a
# graph, as docs/benchmarks.md shows them.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run - -bench 'Plan$|PlainStep$' -benchtime 3x -count "${1:-5}" ./plan | awk '
/ns\/step/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	for (i = 3; i <= NF; i++) if ($i == "ns/step") {
		list[name] = list[name] " " $(i - 1)
		if (!(name in seen)) { seen[name] = 1; order[++n] = name }
	}
}
function sorted(name,    k, i, j, t) {
	k = split(list[name], v, " ")
	for (i = 2; i <= k; i++) { for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t } }
	return k
}
function median(name,    k) { k = sorted(name); return v[int((k + 1) / 2)] }
function least(name) { sorted(name); return v[1] }
END {
	printf "%-24s %12s %12s\n", "ns a step", "median", "least"
	for (i = 1; i <= n; i++) {
		base = order[i]; note = ""
		if (sub(/^Plan\/[a-z]+\//, "PlainStep/", base)) note = sprintf("  %.2f x a plain step, %.2f by the least", median(order[i]) / median(base), least(order[i]) / least(base))
		printf "%-24s %12.5g %12.5g%s\n", order[i], median(order[i]), least(order[i]), note
	}
}'
