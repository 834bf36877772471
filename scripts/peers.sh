#!/usr/bin/env bash
# usage: scripts/peers.sh
# Our gateway's CPU per request beside nginx's, and our generator's beside wrk's, each in interleaved blocks of one run.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --help ]; then
	sed -n '2,3p' "$0" | sed 's/^# //'
	exit 0
fi
scripts/nginx-compare.sh
scripts/generator-compare.sh
