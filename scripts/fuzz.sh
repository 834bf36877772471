#!/usr/bin/env bash
# usage: scripts/fuzz.sh TIME [PACKAGE-PATTERN]
# Runs each fuzz target of the module for TIME (10s, 30m).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --help ]; then
	sed -n '2,3p' "$0" | sed 's/^# //'
	exit 0
elif [ $# -lt 1 ]; then
	sed -n '2,3p' "$0" | sed 's/^# //' >&2
	exit 2
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
time=$1 pattern=${2:-./...} targets=0
for dir in $(go list -f '{{.Dir}}' "$pattern"); do
	for target in $(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | sed 's/^func //' | sort -u); do
		echo "fuzz ${dir#"$PWD"/} $target for $time"
		if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./${dir#"$PWD"/}" >"$out" 2>&1; then
			# When the time runs out inside an input, the go tool may report its own
			# deadline as a failure; a real one names the input that fails.
			if grep -q 'Failing input' "$out" || ! grep -qx '    context deadline exceeded' "$out"; then
				cat "$out"
				exit 1
			fi
		fi
		grep -h 'execs:' "$out" | tail -n 1
		targets=$((targets + 1))
	done
done
if [ "$targets" = 0 ]; then
	echo "fuzz: no target under $pattern" >&2
	exit 1
fi
echo "fuzz: $targets targets, no crash"
