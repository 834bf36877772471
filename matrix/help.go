package matrix

import (
	"fmt"
	"io"
)

const helpHead = `matrix measures what an LLM gateway costs, and audits that nothing was lost.

Usage:
  matrix COMMAND [arguments]

Commands:
`

const helpTail = `
Start with:
  go run ./matrix/cmd/matrix run --spec quick     every section, small, two minutes
  go run ./matrix/cmd/matrix bench 2000 50        one JSON report
  go run ./matrix/cmd/matrix help run             flags, specs, where results go

Words: a cell is one point of the matrix; a block is one run of every cell of a
section, in seeded random order; the floor is the same load sent straight to
the mock; the toll is what one request took longer between client and mock,
joined by its id.

Exit status: 0; 1 when an audit failed, a cell could not be run or a request
failed; 2 for wrong usage; 130 when interrupted (what was measured is kept).
`

func writeHelp(w io.Writer) {
	fmt.Fprint(w, helpHead)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %-25s %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(w, helpTail)
}

const runHelp = `matrix run: run a spec, audit every cell, write results and report.

  --spec NAME|FILE   quick (two minutes), default (the headline sections, five
                     repetitions, up to 25 minutes), engines (the engines
                     beside nginx and haproxy, a quarter of an hour),
                     waterfall (what each layer costs, four minutes), full
                     (hours), or a YAML file (quick)
  --sections A,B     only these sections of the spec
  --blocks N         repetitions instead of the spec's
  --seed N           order of cells within blocks (the spec's)
  --out DIR          folder that the run's own folder is made in
                     (results/local, which git ignores; with --publish
                     results/runs)
  --publish          move the run's sections into results/published.yaml and
                     BENCHMARKS.md, if the run is whole and its audit clean
  --bin DIR          use the gateway, mockupstream and loadgen in DIR instead of
                     building them
  --postgres DIR     where initdb and postgres are, if they are not found by
                     themselves
  --no-tables        do not print the tables at the end
  --profile-cpu      after the last block, run each cell of a gateway once more
                     and keep a CPU profile of it, in profiles/ of the run's
                     folder; no figure is of these repetitions, since being
                     profiled costs time. Cells of one worker in shape external
                     only. To read one:
                     go tool pprof -http=: results/local/RUN/profiles/CELL.pprof

The programs are built once for given sources and kept in the user's cache
folder. PostgreSQL is a private cluster, started and stopped by the run; without
it the cells that need it are skipped and listed; so are cells of nginx or
haproxy where those are not installed. TOLLGATE_DATA names the folder
of shared data, whose bodies/ feed section bodies.

Examples:
  matrix run --spec quick
  matrix run --spec default --publish
  matrix run --spec default --sections streaming,staged --blocks 10
  matrix run --spec engines --profile-cpu
  matrix run --spec mine.yaml --bin ./bin

Ctrl-C ends the run in the middle of a cell: what was measured before is
written and reported, and the status is 130.
`

const planHelp = `matrix plan: show what a spec would run here, in which order, what would be
skipped and why, and about how long it takes.

  --spec NAME|FILE   quick, default, full or a YAML file (quick)
  --sections A,B     only these sections
  --blocks N         repetitions instead of the spec's
  --seed N           order of cells within blocks (the spec's)
  --all              every block, not the first alone

Example:
  matrix plan --spec default --sections workers,log-store
`

const benchHelp = `matrix bench [requests] [concurrency]: one quick measurement (500 50).

Client, gateway (profile governed) and mock run in this process, over loopback
sockets; one JSON report is printed. The environment changes it:

  TOLLGATE_BENCH_TARGET         base URL of an external gateway instead; the
                                mock is served all the same, for it to use
  TOLLGATE_BENCH_UPSTREAM_PORT  port of the mock (a free one)
  TOLLGATE_BENCH_STREAM_EVERY   0 never, 1 always, N every Nth request (5)
  TOLLGATE_BENCH_MODEL          model in the request (bench)
  TOLLGATE_BENCH_KEY            bearer token (the in-process gateway's own)

A wrong value is an error. Percentiles are printed whatever they rest on;
samples_beyond tells, and a warning stands below 100. Any failed request makes
the status 1.

Example: a gateway that was started with its upstream at port 9090
  TOLLGATE_BENCH_TARGET=http://127.0.0.1:8080 TOLLGATE_BENCH_UPSTREAM_PORT=9090 \
  TOLLGATE_BENCH_KEY=$TOKEN matrix bench 10000 100
`

const reportHelp = `matrix report RUN...: render the report of runs again.

RUN is a run's folder, or its name in results/local or results/runs. The tables
are printed, and report.md in the run's folder is written anew.
`

const renderHelp = `matrix render: write BENCHMARKS.md and its plots from the published runs.

  --check   write nothing; status 1 when what is there differs

results/published.yaml says which run feeds which section. Prose outside the
generated regions stays as it is.
`

const publishHelp = `matrix publish RUN...: move a run's sections into BENCHMARKS.md.

RUN is a run's folder or name. It is moved to results/runs if it is not there,
results/published.yaml names it for each of its sections, and BENCHMARKS.md is
rendered. A run that was interrupted, or whose audit failed, is refused.
`

const exportHelp = `matrix export RUN: a run in formats that other tools read.

  --format NAME   bench (Go benchmark format, for benchstat), csv, hlog
                  (HdrHistogram log); all three into the run's folder when
                  absent

Example: what did the change do?
  matrix export OLD --format bench > old.txt
  matrix export NEW --format bench > new.txt
  benchstat -col .file old.txt new.txt
`

const compareHelp = `matrix compare nginx|wrk|builds|slow: measure against a yardstick, side by side.

nginx  our gateway and nginx as a plain keep-alive reverse proxy, in front of
       the same mock, under the same load: CPU-µs per request of the process tree
wrk    our generator and wrk on the mock: CPU-µs per request of the generator
builds our gateway and another build of it, under the mock and the generator of
       the first: whether it is cheaper
slow   our gateway's normal traffic beside clients that read 1 KB/s of a stream
       and clients whose head never ends, and the same traffic alone: what they
       cost it, whether memory stays bounded and heads are closed in time

Both sides run in interleaved blocks with fresh processes; what counts is the ratio
within a block.

  --blocks N      blocks (7; at least 5)
  --duration D    measured time of each side in each block (3s)
  --conc A,B      connections (nginx: 50,256; all others: 50)
  --workers N     worker processes on both sides (1)
  --bin DIR       as for run
  --against DIR   builds: the programs of the other build
  --out FILE      the results as JSON (results/local/compare-….json)

  --herd N        slow: clients of each kind (1000)

For nginx, builds and slow, what of ours is compared, and under which load:

  --engine E      conn (the default), epoll or nethttp
  --profile P     bare, auth or governed (the default)
  --load L        plain (the default: 90 bytes, not streamed), 52KB, 4-frames,
                  74-frames (sent in one write), 74-flushed (each its own write)

The status is 1 when a target of matrix/targets.yaml is missed, or slow clients
did what they must not.
`

const connectionsHelp = `matrix connections: memory of a gateway that holds connections.

For each engine a fresh gateway (profile governed, one worker) holds nobody, then
clients that each made one request and wait, then clients that each have the
first frame of a stream and wait for the next. RSS is read when the gateway is
at rest: it used less than a tenth of one processor for half a second.

  --engine A,B    conn, epoll, nethttp (all)
  --idle A,B      idle clients (1,1000,10000; at most 20000)
  --streams N     open streams (1000; 0: none)
  --blocks N      fresh starts of each (5)
  --bin DIR       as for run
  --out FILE      the results as JSON (results/local/connections.json)

A client is a descriptor here and one in the gateway, a stream two there: raise
the limit of open files (ulimit -n) where it is in the way.

The status is 1 when a target of matrix/targets.yaml is missed.
`

const bodyHelp = `matrix body NAME: print one of the lab's request bodies: 90B, 52KB, 200KB, or a
file of the data folder.

Example:
  matrix body 52KB | curl -sd @- http://127.0.0.1:8080/v1/chat/completions
`

const targetsHelp = `matrix targets [RUN...]: list the figures that the project set itself, from
matrix/targets.yaml, with the script that measures each.

With runs, by folder or name: judge each target that is about a section which
the run holds. A ratio is the median of the ratios within the run's blocks; an
absolute bound is meant for its reference machine. The status is 1 when one is
missed.

Example:
  matrix run --spec engines
  matrix targets results/local/RUN
`

const versionHelp = `matrix version: print the version, the commit and the Go release.
`
