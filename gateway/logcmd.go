package gateway

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
)

const logUsage = `gateway log: prints the request log, a row each request, of all workers. It may run
beside a gateway that serves.

  gateway log --config gateway.yaml                        every row, a line of JSON each
  gateway log --csv > rows.csv                             the same for a spreadsheet
  gateway log --key alice --model gpt-4o-mini --since 24h  some of them
  gateway log --id 1f2e                                    the rows with this request id
  gateway log --sums                                       requests, tokens and dollars by key and model

  --since takes a duration before now, or a time such as 2026-01-31T00:00:00Z.
Rows of one worker come in the order they were written. Times are in nanoseconds, costs in dollars.
`

// logQuery is what "gateway log" was asked for.
type logQuery struct {
	config, key, model, id string
	since                  int64 // Unix ns; 0: from the beginning
	csv, sums              bool
}

func parseLogFlags(args []string, now time.Time, stderr io.Writer) (q logQuery, err error) {
	set := flag.NewFlagSet("gateway log", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() { fmt.Fprintln(stderr, "\"gateway log --help\" shows how it is used.") }
	set.StringVar(&q.config, "config", "gateway.yaml", "")
	set.StringVar(&q.key, "key", "", "")
	set.StringVar(&q.model, "model", "", "")
	set.StringVar(&q.id, "id", "", "")
	set.BoolVar(&q.csv, "csv", false, "")
	set.BoolVar(&q.sums, "sums", false, "")
	set.Func("since", "", func(s string) error {
		if d, err := time.ParseDuration(s); err == nil {
			q.since = now.Add(-d).UnixNano()
			return nil
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return errors.New("want a duration such as 24h, or a time such as 2026-01-31T00:00:00Z")
		}
		q.since = t.UnixNano()
		return nil
	})
	for _, a := range args {
		if a == "-h" || a == "-help" || a == "--help" {
			return q, flag.ErrHelp
		}
	}
	if err := set.Parse(args); err != nil {
		return q, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("gateway log: unexpected argument %q", set.Arg(0))
		fmt.Fprintln(stderr, err)
		set.Usage()
		return q, err
	}
	return q, nil
}

// printLog is the command "gateway log".
func printLog(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	q, err := parseLogFlags(args, time.Now(), stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, logUsage)
		return exitOK
	case err != nil:
		return exitUsage
	}
	text, err := os.ReadFile(q.config)
	if err != nil {
		fmt.Fprintln(stderr, "gateway log: read config:", err)
		return exitUsage
	}
	cfg, err := config.Read(q.config, text, os.LookupEnv)
	if err != nil {
		fmt.Fprintf(stderr, "gateway log: the config is refused:\n%v\n", err)
		return exitUsage
	}
	if kind := logstore.Kind(cfg.Log.Store); kind != logstore.SQLite && kind != logstore.Postgres {
		fmt.Fprintf(stderr, "gateway log: %s: log.store is %q, which keeps no row outside its process; sqlite and postgres do\n", q.config, kind)
		return exitUsage
	}
	out := bufio.NewWriter(stdout)
	err = errors.Join(writeLog(ctx, cfg, q, out), out.Flush())
	if err != nil {
		fmt.Fprintln(stderr, "gateway log:", err)
		return exitFault
	}
	return exitOK
}

func writeLog(ctx context.Context, cfg *config.Config, q logQuery, out io.Writer) (err error) {
	r, err := logstore.OpenReader(ctx, storeConfig(&cfg.Log, os.Getenv(cfg.Log.DSNEnv)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if q.sums {
		return writeSums(ctx, r, q, out)
	}
	print := jsonRows(out)
	if q.csv {
		print = csvRows(out)
	}
	return r.EachRow(ctx, func(row *logrow.Row) error {
		if !q.wants(row) {
			return nil
		}
		return print(row)
	})
}

func (q *logQuery) wants(r *logrow.Row) bool {
	return (q.key == "" || r.Key == q.key) && (q.model == "" || r.Model == q.model) && r.StartedNs >= q.since &&
		(q.id == "" || string(r.ID()) == q.id)
}

// logLine is one row as it is printed.
type logLine struct {
	Started   string  `json:"started"`
	RequestID string  `json:"request_id"`
	Surface   string  `json:"surface"`
	Key       string  `json:"key"`
	Model     string  `json:"model"`
	Provider  string  `json:"provider"`
	Status    int32   `json:"status"`
	Outcome   string  `json:"outcome"`
	Reason    string  `json:"reason,omitempty"`
	Stream    bool    `json:"stream"`
	Estimated bool    `json:"estimated"`
	PromptTok int64   `json:"prompt_tok"`
	OutputTok int64   `json:"output_tok"`
	Dollars   dollars `json:"dollars"`
	TTFBNs    int64   `json:"ttfb_ns"`
	TotalNs   int64   `json:"total_ns"`
	BytesIn   int64   `json:"bytes_in"`
	BytesOut  int64   `json:"bytes_out"`
	Writer    int32   `json:"writer"`
	Epoch     int64   `json:"epoch_ns"`
	Seq       int64   `json:"seq"`
}

// dollars is an amount in 1e-9 dollars that prints exactly.
type dollars int64

func (d dollars) String() string {
	sign, v := "", uint64(d)
	if d < 0 {
		sign, v = "-", -v
	}
	return fmt.Sprintf("%s%d.%09d", sign, v/1e9, v%1e9)
}

func (d dollars) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

func lineOf(r *logrow.Row) logLine {
	return logLine{
		Started: time.Unix(0, r.StartedNs).UTC().Format(time.RFC3339Nano), RequestID: string(r.ID()),
		Surface: r.Surface, Key: r.Key, Model: r.Model, Provider: r.Provider, Status: r.Status,
		Outcome: r.Outcome.String(), Reason: r.Reason, Stream: r.Stream, Estimated: r.Estimated,
		PromptTok: r.PromptTok, OutputTok: r.OutputTok, Dollars: dollars(r.CostNano), TTFBNs: r.TTFBNs, TotalNs: r.TotalNs,
		BytesIn: r.BytesIn, BytesOut: r.BytesOut, Writer: r.Writer, Epoch: r.Epoch, Seq: r.Seq,
	}
}

func jsonRows(out io.Writer) func(*logrow.Row) error {
	enc := json.NewEncoder(out)
	return func(r *logrow.Row) error { return enc.Encode(lineOf(r)) }
}

func csvRows(out io.Writer) func(*logrow.Row) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{
		"started", "request_id", "surface", "key", "model", "provider", "status", "outcome", "reason", "stream", "estimated",
		"prompt_tok", "output_tok", "dollars", "ttfb_ns", "total_ns", "bytes_in", "bytes_out", "writer", "epoch_ns", "seq",
	})
	w.Flush()
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return func(r *logrow.Row) error {
		l := lineOf(r)
		_ = w.Write([]string{
			l.Started, l.RequestID, l.Surface, l.Key, l.Model, l.Provider, n(int64(l.Status)), l.Outcome, l.Reason,
			strconv.FormatBool(l.Stream), strconv.FormatBool(l.Estimated), n(l.PromptTok), n(l.OutputTok), l.Dollars.String(),
			n(l.TTFBNs), n(l.TotalNs), n(l.BytesIn), n(l.BytesOut), n(int64(l.Writer)), n(l.Epoch), n(l.Seq),
		})
		w.Flush()
		return w.Error()
	}
}

// writeSums prints sums by key and model, of all rows or of those asked for.
func writeSums(ctx context.Context, r logstore.Reader, q logQuery, out io.Writer) error {
	sums := map[[2]string]*logstore.Sum{}
	var order [][2]string
	err := r.EachRow(ctx, func(row *logrow.Row) error {
		if !q.wants(row) {
			return nil
		}
		k := [2]string{row.Key, row.Model}
		if sums[k] == nil {
			sums[k] = &logstore.Sum{Key: row.Key, Model: row.Model}
			order = append(order, k)
		}
		sums[k].Add(logstore.SumOf(row))
		return nil
	})
	if err != nil {
		return err
	}
	w := csv.NewWriter(out)
	_ = w.Write([]string{"key", "model", "requests", "prompt_tok", "output_tok", "dollars", "estimated"})
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	for _, k := range order {
		s := sums[k]
		_ = w.Write([]string{s.Key, s.Model, n(s.Rows), n(s.PromptTok), n(s.OutputTok), dollars(s.CostNano).String(), n(s.Estimated)})
	}
	w.Flush()
	return w.Error()
}
