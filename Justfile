# Each recipe is one line over `go run`, `go test` or scripts/, so that nothing needs just.

# regenerate BENCHMARKS.md: the headline sections, a quarter of an hour on two cores
matrix *ARGS:
    go run ./matrix/cmd/matrix run --spec default --publish {{ARGS}}

# a short look, at most two minutes
quick *ARGS:
    go run ./matrix/cmd/matrix run --spec quick {{ARGS}}

# the engines beside nginx and haproxy, a quarter of an hour
engines *ARGS:
    go run ./matrix/cmd/matrix run --spec engines {{ARGS}}

# everything, hours
full *ARGS:
    go run ./matrix/cmd/matrix run --spec full {{ARGS}}

# micro-benchmarks of the hot path
micro *ARGS:
    go test -run '^$' -bench . -benchmem {{ARGS}} ./micro

# every test, with the race detector
test *ARGS:
    go test -race {{ARGS}} ./...

# formatting, vet, staticcheck
lint:
    scripts/lint.sh

# benchstat of two micro-benchmark runs: REF and the working tree
ab REF *ARGS:
    scripts/ab.sh {{REF}} {{ARGS}}

# drive a gateway that is already running: just external http://127.0.0.1:8080 KEY
external URL KEY='':
    TOLLGATE_BENCH_TARGET={{URL}} TOLLGATE_BENCH_KEY={{KEY}} TOLLGATE_BENCH_UPSTREAM_PORT=9090 go run ./matrix/cmd/matrix bench

# is the gateway cheaper when built with a profile of its main path?
pgo *ARGS:
    scripts/pgo.sh {{ARGS}}

# our cost beside nginx's, and our generator's beside wrk's
peers:
    scripts/peers.sh
