#!/usr/bin/env bash
# usage: scripts/lint.sh
# Formatting, vet and staticcheck with the versions pinned in scripts/tools.
set -euo pipefail
if [ "${1:-}" = --help ]; then
	sed -n '2,3p' "$0" | sed 's/^# //'
	exit 0
fi
cd "$(dirname "$0")/.."
bin=$(scripts/tools.sh)
unformatted=$("$bin/gofumpt" -l $(git ls-files --cached --others --exclude-standard '*.go'))
if [ -n "$unformatted" ]; then
	echo "gofumpt would change these files (run: $bin/gofumpt -w FILE):" >&2
	echo "$unformatted" >&2
	exit 1
fi
go vet ./...
"$bin/staticcheck" ./...
echo "lint: clean"
