package results

import (
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func waterfallOf(blocks int) *Waterfall {
	w := &Waterfall{Calls: 10, Layers: []Layer{{Name: "proxy"}, {Name: "guard", Absent: "none here"}, {Name: "log"}}}
	for b := range int64(blocks) {
		w.Layers[0].Blocks = append(w.Layers[0].Blocks, LayerBlock{CPUNs: 10_000 + 1000*b})
		w.Layers[2].Blocks = append(w.Layers[2].Blocks, LayerBlock{CPUNs: 15_000 + 1000*b, Allocs: 20, Bytes: 640})
	}
	return w
}

// What a layer adds is a difference within a block, so a drift from block to
// block is not in it; an absent layer costs nothing and the next one is
// compared with the last that was measured.
func TestLayerCosts(t *testing.T) {
	s := &SectionSeries{Records: []*Section{{Waterfall: waterfallOf(4)}, {Boot: &Boot{}}, {Waterfall: waterfallOf(4)}}}
	layers, all := s.LayerCosts(0.95)
	if len(layers) != 3 || layers[1].Absent != "none here" || layers[1].CPUUs.N != 0 {
		t.Fatalf("%+v", layers)
	}
	log := layers[2]
	if log.CPUUs.N != 8 || log.CPUUs.Lo != 0.5 || log.CPUUs.Hi != 0.5 || log.Allocs.Center != 2 || log.Bytes.Center != 64 {
		t.Errorf("log %+v", log)
	}
	if proxy := layers[0].CPUUs; proxy.Center != 1.15 || proxy.Lo < 1 || proxy.Hi > 1.3 {
		t.Errorf("proxy %+v", proxy)
	}
	if all.CPUUs.Center != 1.65 || all.Allocs.Center != 2 {
		t.Errorf("all %+v", all)
	}
	if none, _ := new(SectionSeries).LayerCosts(0.95); none != nil {
		t.Errorf("nothing was measured: %+v", none)
	}
}

func TestWaterfallFaults(t *testing.T) {
	for story, c := range map[string]struct {
		spoil func(*Section)
		want  string
	}{
		"whole":                 {func(*Section) {}, ""},
		"in another shape":      {func(s *Section) { s.Cell.Shape = contract.External }, "direct timings"},
		"beside a boot":         {func(s *Section) { s.Boot = &Boot{} }, "exactly one of"},
		"no calls":              {func(s *Section) { s.Waterfall.Calls = 0 }, "0 calls"},
		"no name":               {func(s *Section) { s.Waterfall.Layers[0].Name = "" }, "without a name"},
		"absent for no reason":  {func(s *Section) { s.Waterfall.Layers[1].Absent = "" }, "layer guard: want either"},
		"a block too few":       {func(s *Section) { s.Waterfall.Layers[2].Blocks = s.Waterfall.Layers[2].Blocks[1:] }, "layer log: 2 blocks"},
		"nothing that was done": {func(s *Section) { s.Waterfall.Layers = s.Waterfall.Layers[1:2] }, "no measured layer"},
	} {
		s := &Section{Cell: contract.Cell{Section: "waterfall", Shape: contract.Direct}, Waterfall: waterfallOf(3)}
		c.spoil(s)
		err := s.validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", story, err, c.want)
		}
	}
}
