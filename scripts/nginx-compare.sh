#!/bin/sh
# Gateway against nginx as a plain keep-alive reverse proxy: CPU-µs per
# request, interleaved in blocks. Arguments are passed on (--help).
set -eu
cd "$(dirname "$0")/.."
exec go run ./matrix/cmd/matrix compare nginx "$@"
