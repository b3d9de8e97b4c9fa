#!/usr/bin/env bash
# size.sh: what a hello-world on the library costs to build, beside one on the
# standard library: cold build (empty build cache, modules downloaded), the
# stripped binary, and the modules linked.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/plain"
cat >"$work/plain/main.go" <<'GO'
package main

import "fmt"

func main() { fmt.Println("hello") }
GO
cold() { # directory or package, output
	rm -rf "$work/cache"
	local begin end
	begin=$(date +%s%N)
	GOCACHE="$work/cache" go build -o "$2" "$1"
	end=$(date +%s%N)
	echo $(((end - begin) / 1000000))
}
plain=$(cold "$work/plain/main.go" "$work/plain.bin")
hello=$(cold ./bench/hello "$work/hello.bin")
go build -ldflags='-s -w' -o "$work/hello.small" ./bench/hello
echo "cold build: standard library $plain ms, graphrun $hello ms, ratio $(awk "BEGIN{printf \"%.2f\", $hello/$plain}")"
echo "binary: $(stat -c %s "$work/hello.bin") bytes, stripped $(stat -c %s "$work/hello.small") bytes"
echo "modules linked: $(go version -m "$work/hello.bin" | grep -c -E '^\s+(mod|dep)\s')"
