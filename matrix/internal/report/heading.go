package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
)

// headingText names date, versions and machine: once when one run feeds
// everything, else in a table with a row per run.
func headingText(in *data) (*text, error) {
	t := new(text)
	runs := in.published()
	switch len(runs) {
	case 0:
		t.say("No run is published.")
		return t, nil
	case 1:
		t.list(runFacts(runs[0]))
		return t, nil
	}
	t.say("Sections were measured in different runs. Figures of one section never come from two runs; figures of two sections may be compared only where run and shape are the same.")
	tb := &table{columns: []column{
		{title: "run", words: true},
		{title: "date", words: true},
		{title: "tollgate", words: true},
		{title: "Go", words: true},
		{title: "PostgreSQL", words: true},
		{title: "system", words: true},
		{title: "CPU", words: true},
		{title: "memory", words: true},
		{title: "sections", words: true},
	}}
	for _, run := range runs {
		h, f := &run.Header, &run.Header.Fingerprint
		var fed []string
		for _, v := range in.views() {
			if v.run == run {
				fed = append(fed, v.name)
			}
		}
		row := []string{
			"`" + h.Name + "`", day(h.Started), versionText(&h.Sources), orNone(f.Go), orNone(f.Postgres),
			systemText(f), cpuText(f), memoryText(f), strings.Join(fed, ", "),
		}
		// The heading compares nothing, so it has no shape.
		if err := tb.add("", row...); err != nil {
			return nil, err
		}
	}
	t.show("", tb)
	return t, nil
}

func runFacts(run *results.Run) []string {
	h, f := &run.Header, &run.Header.Fingerprint
	out := []string{
		"Date: " + day(h.Started),
		"tollgate: " + versionText(&h.Sources),
		"Go: " + orNone(f.Go) + fmt.Sprintf(", GOMAXPROCS %d", f.GOMAXPROCS),
	}
	if f.Postgres != "" {
		out = append(out, "PostgreSQL: "+f.Postgres)
	}
	out = append(out,
		"System: "+systemText(f),
		"CPU: "+cpuText(f),
		"Memory: "+memoryText(f),
		fmt.Sprintf("Run: `%s`, spec `%s` (%s), seed %d, sitting `%s`", h.Name, h.Spec.Name, short(h.Spec.Hash), h.Seed, short(h.Sitting.ID)),
		fmt.Sprintf("Harness `%s`, mock `%s`", short(h.Sources.HarnessHash), short(h.Sources.MockHash)),
	)
	if h.Reproduce != "" {
		out = append(out, "Repeat it: `"+h.Reproduce+"`")
	}
	switch {
	case run.Final == nil:
		out = append(out, "**The run was cut off**: what is missing below was not measured")
	case run.Final.Status != results.Complete:
		out = append(out, "**The run was interrupted**: what is missing below was not measured")
	}
	for _, w := range run.Warnings {
		out = append(out, "Warning: "+w)
	}
	if run.Final != nil {
		for _, w := range run.Final.Warnings {
			out = append(out, "Warning: "+w)
		}
	}
	return out
}

func versionText(s *results.Sources) string {
	if s.Version == "" {
		return "commit " + commitText(s)
	}
	return s.Version + ", commit " + commitText(s)
}

func systemText(f *results.Fingerprint) string {
	out := orNone(f.OS)
	if f.Kernel != "" {
		out += ", kernel " + f.Kernel
	}
	if f.Virtualization != "" && f.Virtualization != "none" {
		out += ", " + f.Virtualization
	}
	return out
}

func cpuText(f *results.Fingerprint) string {
	out := fmt.Sprintf("%d × %s", f.CPUs, orNone(f.CPUModel))
	if f.CPUQuotaMilli > 0 {
		out += fmt.Sprintf(", quota %s cores", significant(float64(f.CPUQuotaMilli)/1000))
	}
	if f.Governor != "" {
		out += ", governor " + f.Governor
	}
	return out
}

func memoryText(f *results.Fingerprint) string {
	if f.MemoryBytes == 0 {
		return none
	}
	return significant(float64(f.MemoryBytes)/(1<<30)) + " GiB"
}

// short cuts a hash to what tells hashes apart at a glance.
func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	return orNone(hash)
}

// published is every run that feeds a section, oldest first.
func (in *data) published() []*results.Run {
	var out []*results.Run
	for _, name := range in.Published.Sections {
		if run := in.Runs[name]; !slices.Contains(out, run) {
			out = append(out, run)
		}
	}
	slices.SortFunc(out, func(a, b *results.Run) int {
		if c := a.Header.Started.Compare(b.Header.Started); c != 0 {
			return c
		}
		return strings.Compare(a.Header.Name, b.Header.Name)
	})
	return out
}
