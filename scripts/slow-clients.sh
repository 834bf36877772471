#!/bin/sh
# Normal traffic beside 1,000 readers of 1 KB/s and 1,000 heads that never end,
# against the same traffic alone. Arguments are passed on (--help).
set -eu
cd "$(dirname "$0")/.."
exec go run ./matrix/cmd/matrix compare slow "$@"
