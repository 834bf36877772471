#!/bin/sh
# Our generator against wrk on the mock: CPU-µs per request of the generator,
# interleaved in blocks. Arguments are passed on (--help).
set -eu
cd "$(dirname "$0")/.."
exec go run ./matrix/cmd/matrix compare wrk "$@"
