#!/usr/bin/env bash
# usage: scripts/pgo.sh [BLOCKS [DURATION]]
# Records CPU profiles of the main path (epoll, governed, 50 connections), builds the gateway with and without them, and compares
# their CPU-µs per request in interleaved blocks (15 of 3s). PROFILES says how many profiles of two seconds are merged (5).
# The profile is left in results/local/main-path.pprof: as gateway/cmd/gateway/default.pgo every build uses it.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --help ]; then
	sed -n '2,5p' "$0" | sed 's/^# //'
	exit 0
fi
blocks=${1:-15} duration=${2:-3s} profiles=${PROFILES:-5}
[ "$(go env GOOS)" = linux ] || { echo "pgo: engine epoll is for Linux" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/plain" "$dir/guided" results/local
go build -o "$dir/matrix" ./matrix/cmd/matrix
# -pgo=off: a default.pgo in the gateway's folder would be in both.
go build -pgo=off -o "$dir/plain/" ./gateway/cmd/gateway ./mockupstream/cmd/mockupstream ./loadgen/cmd/loadgen
cat >"$dir/main-path.yaml" <<'YAML'
name: main-path
title: The load that the profile is of
repetitions: 1
canary_limit: 1000
sections:
  - name: main-path
    shape: external
    engine: epoll
    profile: governed
    body: 90B
    conc: 50
    floor: none
    requests: 1000
    warmup: 1000
YAML
for i in $(seq "$profiles"); do
	"$dir/matrix" run --spec "$dir/main-path.yaml" --bin "$dir/plain" --out "$dir/run-$i" --profile-cpu --no-tables >/dev/null
done
go tool pprof -proto -output results/local/main-path.pprof "$dir"/run-*/*/profiles/*.pprof >/dev/null
go build -pgo="$PWD/results/local/main-path.pprof" -o "$dir/guided/" ./gateway/cmd/gateway
cp "$dir/plain/mockupstream" "$dir/plain/loadgen" "$dir/guided/"
"$dir/matrix" compare builds --bin "$dir/guided" --against "$dir/plain" --engine epoll --profile governed --conc 50 \
	--blocks "$blocks" --duration "$duration" --out results/local/compare-pgo.json
