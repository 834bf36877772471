#!/usr/bin/env bash
# usage: scripts/ab.sh REF [BENCH-PATTERN]
# Micro-benchmarks of REF and of the working tree, in alternation, through benchstat.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --help ]; then
	sed -n '2,3p' "$0" | sed 's/^# //'
	exit 0
elif [ $# -lt 1 ]; then
	sed -n '2,3p' "$0" | sed 's/^# //' >&2
	exit 2
fi
ref=$1 pattern=${2:-.} rounds=${ROUNDS:-6}
git rev-parse --verify --quiet "$ref^{commit}" >/dev/null || { echo "ab: $ref names no commit here (see: git log --oneline)" >&2; exit 2; }
bin=$(scripts/tools.sh)
dir=$(mktemp -d)
trap 'git worktree remove --force "$dir/ref" 2>/dev/null; rm -rf "$dir"' EXIT
git worktree add --detach --quiet "$dir/ref" "$ref"
(cd "$dir/ref" && go test -c -o "$dir/old.test" ./micro)
go test -c -o "$dir/new.test" ./micro
for i in $(seq "$rounds"); do
	echo "round $i of $rounds" >&2
	# ABBA: drift of the machine falls on both sides alike.
	if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
	for side in $order; do
		(cd micro && "$dir/$side.test" -test.run '^$' -test.bench "$pattern" -test.benchmem -test.benchtime 200ms) >>"$dir/$side.txt"
	done
done
"$bin/benchstat" "old=$dir/old.txt" "new=$dir/new.txt"
