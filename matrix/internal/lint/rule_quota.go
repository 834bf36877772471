package lint

import (
	"fmt"
	"regexp"
	"strings"
)

const ruleQuota = "quota-outlasted"

var (
	quotaInText  = regexp.MustCompile(`(?i)(\S+)[- ](?:(?:daily|hourly)[- ])?tokens?(?:[- ](?:daily|hourly|per[- ]day|a[- ]day))?[- ](?:quota|budget|limit)|(?:quota|budget|limit) of (\S+) tokens|(\S+) (?:daily|hourly)[- ]token (?:quota|budget|limit)`)
	eachInText   = regexp.MustCompile(`(?i)(\S+) tokens (?:each|per request|a request|reserved|an? call)|(\S+) tokens/req`)
	lengthInText = regexp.MustCompile(`(?i)\b(\d[\d.,]*) ?(s|sec|seconds|min|minutes)\b(?: (?:per|each|a) (?:row|run|cell|measurement))?`)
	allAnswered  = regexp.MustCompile(`(?i)^(all|only|100 ?%) (http )?(200|2xx|ok)s?$|^200 ?(only|: ?100 ?%)$|^100 ?%( 200| ok)?$|^(all )?ok$`)
	allInText    = regexp.MustCompile(`(?i)\b(all|only|every)\b[^.;]{0,40}\b(200s?|2xx)\b|\b100 ?% (of [^.;]{0,20})?(http )?200\b`)
)

// quotaTables: tokens that were used up cannot have been handed out. Where a
// quota ÷ (rate × tokens of a request) is shorter than the measurement, not
// every request was answered.
func quotaTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) []Finding {
		rate, ok := t.only(Rate)
		if !ok {
			return nil
		}
		x, ok := r.of(rate, PerSecond)
		if !ok || x.Value <= 0 {
			return nil
		}
		said, ok := r.allAnswered()
		if !ok {
			return nil
		}
		quota, okQ := r.stated(Quota, quotaInText)
		each, okE := r.stated(TokensEach, eachInText)
		length, okL := r.measuredFor()
		if !okQ || !okE || !okL {
			return nil
		}
		lasts := quota / (x.Value * each)
		if lasts >= length*(1-Tolerance) {
			return nil
		}
		f := r.finding(ruleQuota, rate)
		f.Read = fmt.Sprintf("%s, %s tokens each, a quota of %s tokens, %s measured; %s", r.read(rate), short(each), short(quota), seconds(length), said)
		f.Why = fmt.Sprintf("at this rate the quota lasts %s, so later requests must have been refused", seconds(lasts))
		f.Fits = fmt.Sprintf("at most %s answered, the rest refused in a column of their own; or a quota of %s tokens", short(quota/each), short(x.Value*each*length))
		return []Finding{f}
	})
}

// allAnswered finds the claim that every request succeeded.
func (r *Row) allAnswered() (said string, ok bool) {
	t := r.table
	for _, i := range t.Is(Status, Share) {
		text := r.Cells[i].Text
		if allAnswered.MatchString(text) {
			return r.read(i), true
		}
		if !blank(text) {
			return "", false
		}
	}
	for _, i := range t.Is(Failures) {
		if q, fine := r.Figure(i); fine {
			return r.read(i), q.Value == 0
		}
	}
	said = once(t.Section, "all answered", func() (said string) {
		t.Section.within(func(s *Section) bool {
			said = strings.TrimSpace(allInText.FindString(s.text()))
			return said != ""
		})
		return said
	})
	return said, said != ""
}

// stated is a number of tokens: from the row's column, its other cells, or
// the text around it.
func (r *Row) stated(k Kind, re *regexp.Regexp) (float64, bool) {
	t := r.table
	if i, ok := t.only(k); ok {
		if q, ok := ParseQuantity(r.Cells[i].Text); ok && q.Value > 0 && (q.Dim == Plain || q.Dim == Tokens) {
			return q.Value, true
		}
		return 0, false
	}
	for _, c := range r.Cells {
		if v, ok := matchNumber(re, c.Text); ok {
			return v, true
		}
	}
	v := once(t.Section, re.String(), func() (v float64) {
		t.Section.within(func(s *Section) (ok bool) {
			v, ok = matchNumber(re, s.text())
			return ok
		})
		return v
	})
	return v, v > 0
}

func matchNumber(re *regexp.Regexp, text string) (float64, bool) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		for _, g := range m[1:] {
			if q, ok := ParseQuantity(strings.TrimLeft(g, "(")); ok && q.Value > 0 {
				return q.Value, true
			}
		}
	}
	return 0, false
}

// measuredFor is how long the row was measured: its column, or the shortest
// time that the text around the table says.
func (r *Row) measuredFor() (float64, bool) {
	t := r.table
	if i, ok := t.only(Duration); ok {
		q, ok := r.of(i, Time)
		return q.Value, ok && q.Value > 0
	}
	least := once(t.Section, "duration", func() (least float64) {
		t.Section.within(func(s *Section) bool {
			for _, m := range lengthInText.FindAllString(s.text(), -1) {
				if q, ok := ParseQuantity(m); ok && q.Dim == Time && q.Value >= 1 && (least == 0 || q.Value < least) {
					least = q.Value
				}
			}
			return least > 0
		})
		return least
	})
	return least, least > 0
}
