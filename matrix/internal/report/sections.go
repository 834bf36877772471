package report

// section is one part of the report.
type section struct {
	name  string // as in contract.Cell.Section
	title string
	text  func(*view) (*text, error)
}

// sections is every section that the report knows, in its order. Their names
// are part of the results' format.
var sections = []section{
	{"concurrency-external", "Concurrency, separate processes", by(axisConc)},
	{"concurrency-inprocess", "Concurrency, in one process", by(axisConc)},
	{"streaming", "Streaming share", paired(&streamPairing, axisConc, axisStreams)},
	{"workers", "Workers", by(axisWorkers)},
	{"log-store", "Log store", paired(&logPairing, axisWorkers, axisLog)},
	{"boot", "Boot", bootText},
	{"staged", "Staged profile: one request in flight", stagedText},
	{"direct", "Direct calls", directText},
	{waterfallName, "Waterfall: what each layer costs", waterfallText},
	{"bodies", "Bodies", by(axisBody)},
	{"mock", "The mock's own cost", by(axisConc, axisStreams)},
	{"engines", "Engines", enginesText},
	{"clients", "Load clients", by(axisClient, axisConc)},
	{"kill", "A worker killed under load", killText},
}

func by(first ...axis) func(*view) (*text, error) {
	return func(v *view) (*text, error) { return loadText(v, first...) }
}

func paired(p *pairing, first ...axis) func(*view) (*text, error) {
	return func(v *view) (*text, error) { return pairText(v, p, first...) }
}

// sectionText is the text of a section; one that the report does not know is
// shown by whatever varies in it.
func sectionText(v *view) (title string, t *text, err error) {
	for _, s := range sections {
		if s.name == v.name {
			t, err = s.text(v)
			return s.title, t, err
		}
	}
	t, err = loadText(v)
	return v.name, t, err
}
