package results

import (
	"errors"
	"fmt"
	"slices"
)

// Waterfall is one repetition of what each layer of the gateway costs. Layers
// are configurations of the exchange, each with one layer more than the one
// before it, called with no socket and in turn within each block.
type Waterfall struct {
	Calls  int64   `json:"calls"`  // of each configuration in each block
	Layers []Layer `json:"layers"` // in the order in which they are added
}

// Layer is one layer on top of those before it.
type Layer struct {
	Name   string       `json:"name"`             // "proxy", "auth", …
	Absent string       `json:"absent,omitempty"` // why it is not measured: then it has no blocks
	Blocks []LayerBlock `json:"blocks,omitempty"` // the same number for every layer that is measured
}

// LayerBlock is what the configuration that ends with the layer used over the
// calls of one block, all layers below it included.
type LayerBlock struct {
	CPUNs  int64 `json:"cpu_ns"`      // of the process
	Allocs int64 `json:"allocs"`      // objects allocated
	Bytes  int64 `json:"alloc_bytes"` // bytes allocated
}

func (w *Waterfall) validate() error {
	if w.Calls < 1 {
		return fmt.Errorf("a waterfall of %d calls", w.Calls)
	}
	blocks := -1
	for i := range w.Layers {
		l := &w.Layers[i]
		switch {
		case l.Name == "":
			return errors.New("a layer without a name")
		case (l.Absent == "") != (len(l.Blocks) > 0):
			return fmt.Errorf("layer %s: want either blocks or why there are none", l.Name)
		case l.Absent == "" && blocks >= 0 && len(l.Blocks) != blocks:
			return fmt.Errorf("layer %s: %d blocks, the layers before it have %d", l.Name, len(l.Blocks), blocks)
		case l.Absent == "":
			blocks = len(l.Blocks)
		}
	}
	if blocks < 0 {
		return errors.New("a waterfall of no measured layer")
	}
	return nil
}

// LayerCost is what a layer adds to the one before it, per call, from the
// differences within each block. The first layer adds what it costs.
type LayerCost struct {
	Name, Absent  string
	CPUUs         Interval
	Allocs, Bytes Interval
}

// LayerCosts is the cost of every layer over all blocks of the series, and of
// all together. Of repetitions with other layers than the last one's, which an
// older program wrote, nothing is taken.
func (s *SectionSeries) LayerCosts(confidence float64) (layers []LayerCost, all LayerCost) {
	var like *Waterfall
	for _, r := range s.Records {
		if r.Waterfall != nil {
			like = r.Waterfall
		}
	}
	if like == nil {
		return nil, all
	}
	diffs := make([]layerDiffs, len(like.Layers))
	var total layerDiffs
	for _, r := range s.Records {
		if r.Waterfall != nil && r.Waterfall.sameLayers(like) {
			r.Waterfall.addTo(diffs, &total)
		}
	}
	for i, l := range like.Layers {
		layers = append(layers, diffs[i].cost(l.Name, l.Absent, confidence))
	}
	return layers, total.cost("all", "", confidence)
}

func (w *Waterfall) sameLayers(o *Waterfall) bool {
	return slices.EqualFunc(w.Layers, o.Layers, func(a, b Layer) bool { return a.Name == b.Name && a.Absent == b.Absent })
}

// addTo appends the differences of each block, per call.
func (w *Waterfall) addTo(diffs []layerDiffs, total *layerDiffs) {
	below := -1
	for i := range w.Layers {
		l := &w.Layers[i]
		if l.Absent != "" {
			continue
		}
		for b, at := range l.Blocks {
			var from LayerBlock
			if below >= 0 {
				from = w.Layers[below].Blocks[b]
			}
			diffs[i].add(from, at, w.Calls)
		}
		below = i
	}
	if below >= 0 {
		for _, at := range w.Layers[below].Blocks {
			total.add(LayerBlock{}, at, w.Calls)
		}
	}
}

// layerDiffs is one layer's differences, a value per block.
type layerDiffs struct{ cpuUs, allocs, bytes []float64 }

func (d *layerDiffs) add(from, to LayerBlock, calls int64) {
	n := float64(calls)
	d.cpuUs = append(d.cpuUs, float64(to.CPUNs-from.CPUNs)/1e3/n)
	d.allocs = append(d.allocs, float64(to.Allocs-from.Allocs)/n)
	d.bytes = append(d.bytes, float64(to.Bytes-from.Bytes)/n)
}

func (d *layerDiffs) cost(name, absent string, confidence float64) LayerCost {
	return LayerCost{
		Name: name, Absent: absent,
		CPUUs: IntervalOf(d.cpuUs, confidence), Allocs: IntervalOf(d.allocs, confidence), Bytes: IntervalOf(d.bytes, confidence),
	}
}
