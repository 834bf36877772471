#!/bin/sh
# Memory of a gateway that holds idle clients and open streams. Arguments are
# passed on (--help).
set -eu
cd "$(dirname "$0")/.."
exec go run ./matrix/cmd/matrix connections "$@"
