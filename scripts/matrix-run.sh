#!/bin/sh
# A run of the matrix: arguments are those of "matrix run" (--help). Judge what
# it measured with "go run ./matrix/cmd/matrix targets RUN".
set -eu
cd "$(dirname "$0")/.."
exec go run ./matrix/cmd/matrix run "$@"
