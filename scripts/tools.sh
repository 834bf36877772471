#!/usr/bin/env bash
# usage: scripts/tools.sh
# Builds the pinned tools once and prints the folder that holds them.
set -euo pipefail
if [ "${1:-}" = --help ]; then
	sed -n '2,3p' "$0" | sed 's/^# //'
	exit 0
fi
cd "$(dirname "$0")/tools"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tollgate/tools-$(cat go.mod go.sum | sha256sum | cut -c1-12)
if [ ! -x "$cache/deadcode" ]; then
	mkdir -p "$cache"
	go build -o "$cache/" mvdan.cc/gofumpt honnef.co/go/tools/cmd/staticcheck golang.org/x/perf/cmd/benchstat >&2
	go build -o "$cache/" golang.org/x/tools/cmd/deadcode >&2
fi
echo "$cache"
