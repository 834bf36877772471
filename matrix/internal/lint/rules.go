package lint

// Rule is one relation that figures cannot break.
type Rule struct {
	Name  string
	About string                    // the relation, in one sentence
	table func(*Document) []Finding // in Markdown; nil: only in runs
	run   func(*runView) []Finding  // in a run's records; nil: only in Markdown
}

// Rules lists every rule.
func Rules() []Rule {
	return []Rule{
		{ruleLittle, "In a closed loop throughput times the mean time of a request is the number in flight, within 5 %.", littleTables, littleRun},
		{ruleFloor, "With a gateway in the way throughput is at most the floor's and no percentile below it, unless answers came from a cache or frames were joined.", floorTables, floorRun},
		{ruleMixed, "A mixed load lies between its pure parts.", mixedTables, mixedRun},
		{rulePercentiles, "Percentiles rise up to the maximum, and the mean is one that they allow.", percentileTables, partsRun},
		{ruleBandwidth, "Bytes ÷ time is the rate that is quoted.", bandwidthTables, nil},
		{ruleUnits, "Units agree with their magnitude, and with the figures that depend on them.", unitTables, unitsRun},
		{ruleSamples, "A percentile has at least 100 samples beyond it.", samplesTables, nil},
		{ruleScaling, "Doing it at once is not called scaling where it gets less done than doing it in turn.", scalingTables, nil},
		{ruleFactor, "A claimed factor is the ratio of two figures that stand there.", factorTables, nil},
		{ruleTrend, "What is said to grow along the rows does so.", trendTables, nil},
		{ruleSpread, "Two runs lie within the spread that is quoted.", spreadTables, nil},
		{ruleQuota, "No request is answered from a quota that is used up.", quotaTables, nil},
		{ruleResolution, "A figure in whole units shows nothing below one.", resolutionTables, nil},
		{ruleToll, "A toll near 40 ms is seldom work (a hint).", tollTables, tollRun},
	}
}

// Check runs every rule over a document.
func Check(d *Document) []Finding {
	var out []Finding
	for _, r := range Rules() {
		if r.table == nil {
			continue
		}
		for _, f := range r.table(d) {
			f.File = d.File
			out = append(out, f)
		}
	}
	return inOrder(out)
}

// eachTable calls f with every table.
func (d *Document) eachTable(f func(*Table) []Finding) (out []Finding) {
	for _, s := range d.Sections {
		for _, t := range s.Tables {
			out = append(out, f(t)...)
		}
	}
	return out
}

// eachRow calls f with every row of every table.
func (d *Document) eachRow(f func(*Table, *Row) []Finding) []Finding {
	return d.eachTable(func(t *Table) (out []Finding) {
		for i := range t.Rows {
			out = append(out, f(t, &t.Rows[i])...)
		}
		return out
	})
}
