package results

import (
	"errors"
	"fmt"

	"github.com/tollgate-lab/tollgate/results/contract"
)

var errKind = errors.New("a record holds exactly one of header, repetition, section, final")

func (r *Record) validate() error {
	n := 0
	var err error
	if r.Header != nil {
		n++
		err = r.Header.validate()
	}
	if r.Repetition != nil {
		n++
		err = r.Repetition.validate()
	}
	if r.Section != nil {
		n++
		err = r.Section.validate()
	}
	if r.Final != nil {
		n++
		err = r.Final.validate()
	}
	if n != 1 {
		return errKind
	}
	return err
}

func (h *Header) validate() error {
	if h.Version != Version {
		return fmt.Errorf("schema version %d, this program reads %d", h.Version, Version)
	}
	if h.Started.IsZero() {
		return errors.New("header without a start time")
	}
	return nil
}

func (r *Repetition) validate() error {
	if err := validateCell(&r.Cell, r.Block, r.Rep, r.Attempt); err != nil {
		return err
	}
	key := r.Cell.Key()
	var sum int64
	for name, n := range r.Outcomes {
		if _, ok := contract.ParseOutcome(name); !ok {
			return fmt.Errorf("%s: unknown outcome %q", key, name)
		}
		if n < 0 {
			return fmt.Errorf("%s: %d requests of outcome %s", key, n, name)
		}
		sum += n
	}
	if r.Skipped != nil {
		if sum != 0 || r.Skipped.Reason == "" {
			return fmt.Errorf("%s: a skipped cell has a reason and no outcomes", key)
		}
		return nil
	}
	if r.MeasuredNs < 0 || r.RequestsPerS < 0 || r.CoresBusy < 0 {
		return fmt.Errorf("%s: negative measurement", key)
	}
	for _, m := range r.Marks {
		switch m {
		case MarkNoisy, MarkGeneratorBound, MarkMockBound, MarkRetry:
		default:
			return fmt.Errorf("%s: unknown mark %q", key, m)
		}
	}
	return nil
}

func (s *Section) validate() error {
	if err := validateCell(&s.Cell, s.Block, s.Rep, 0); err != nil {
		return err
	}
	n := 0
	for _, set := range []bool{s.Boot != nil, s.Direct != nil, s.Waterfall != nil, s.Skipped != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%s: a section record holds exactly one of boot, direct, waterfall, skipped", s.Cell.Key())
	}
	if (s.Direct != nil || s.Waterfall != nil) && s.Cell.Shape != contract.Direct {
		return fmt.Errorf("%s: direct timings in shape %q", s.Cell.Key(), s.Cell.Shape)
	}
	if s.Waterfall != nil {
		if err := s.Waterfall.validate(); err != nil {
			return fmt.Errorf("%s: %w", s.Cell.Key(), err)
		}
	}
	return nil
}

func validateCell(c *contract.Cell, block, rep, attempt int) error {
	if c.Section == "" {
		return errors.New("a cell without a section")
	}
	if !c.Shape.Valid() {
		return fmt.Errorf("%s: unknown shape %q", c.Key(), c.Shape)
	}
	if block < 0 || rep < 0 || attempt < 0 {
		return fmt.Errorf("%s: negative block, repetition or attempt", c.Key())
	}
	return nil
}

func (f *Final) validate() error {
	if f.Status != Complete && f.Status != Interrupted {
		return fmt.Errorf("final record with status %q, want %s or %s", f.Status, Complete, Interrupted)
	}
	return nil
}
