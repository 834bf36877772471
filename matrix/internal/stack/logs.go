package stack

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/matrix/internal/audit"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// prepareLog decides where the cell's rows go; PostgreSQL gets a database of
// this repetition's own.
func (s *Stack) prepareLog(ctx context.Context, n int64) error {
	s.log = logstore.Config{Store: logstore.Kind(s.Cell.LogStore), Durability: logstore.Durability(s.Cell.Durability)}
	switch s.log.Store {
	case logstore.SQLite:
		s.log.Path = filepath.Join(s.dir, "log")
	case logstore.Postgres:
		if s.site.Postgres == nil {
			return fmt.Errorf("log store postgres without a server")
		}
		name := fmt.Sprintf("cell_%d", n)
		dsn, err := s.site.Postgres.CreateDatabase(ctx, name)
		if err != nil {
			return err
		}
		s.db, s.log.DSN = name, dsn
	}
	return nil
}

// reader opens the cell's log; nil where it is off, or where it is the memory
// of another process.
func (s *Stack) reader(ctx context.Context) (logstore.Reader, error) {
	switch s.log.Store {
	case logstore.SQLite, logstore.Postgres:
		return logstore.OpenReader(ctx, s.log)
	case logstore.Memory:
		if g, ok := s.gate.(innerGate); ok {
			if r, ok := g.rows(); ok {
				return r, nil
			}
		}
	}
	return nil, nil
}

// Log reads every row of the cell's log. It is nil where there is none to read.
func (s *Stack) Log(ctx context.Context) (l *audit.Log, err error) {
	r, err := s.reader(ctx)
	if err != nil || r == nil {
		return nil, err
	}
	defer r.Close()
	l = &audit.Log{ByID: make(map[uint64][]audit.Row)}
	if l.Rows, err = r.Count(ctx); err != nil {
		return nil, err
	}
	return l, r.EachRow(ctx, func(row *logrow.Row) error {
		l.CostNano += row.CostNano
		id, ok := contract.ParseID(row.ID())
		if !ok {
			l.Foreign++
			return nil
		}
		l.ByID[id] = append(l.ByID[id], audit.Row{
			Answered: row.Outcome == logrow.Answered, PromptTok: row.PromptTok, OutputTok: row.OutputTok, Estimated: row.Estimated,
		})
		return nil
	})
}
