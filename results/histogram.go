package results

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and precision of every histogram of the lab.
const (
	HistogramLowestNs  = 1
	HistogramHighestNs = 600_000_000_000 // 10 min
	HistogramDigits    = 3
)

// maxHistogramText bounds an encoded histogram in a file, in bytes: one with
// every bucket in use is far smaller.
const maxHistogramText = 1 << 20

// Histogram is an HdrHistogram in its form in files: V2, compressed, base64.
type Histogram string

// NewHistogram is an empty histogram with the lab's range and precision.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(HistogramLowestNs, HistogramHighestNs, HistogramDigits)
}

// EncodeHistogram is the inverse of Histogram.Decode.
func EncodeHistogram(h *hdrhistogram.Histogram) (Histogram, error) {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return Histogram(b), nil
}

// Decode reads the histogram. Another range or precision than the lab's is an
// error: such histograms would not merge without loss.
func (t Histogram) Decode() (*hdrhistogram.Histogram, error) {
	if len(t) > maxHistogramText {
		return nil, fmt.Errorf("decode histogram: %d bytes of text, at most %d allowed", len(t), maxHistogramText)
	}
	h, err := hdrhistogram.Decode([]byte(t))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	if h.LowestTrackableValue() != HistogramLowestNs || h.HighestTrackableValue() != HistogramHighestNs || h.SignificantFigures() != HistogramDigits {
		return nil, fmt.Errorf("decode histogram: range %d to %d with %d digits, want %d to %d with %d",
			h.LowestTrackableValue(), h.HighestTrackableValue(), h.SignificantFigures(),
			int64(HistogramLowestNs), int64(HistogramHighestNs), HistogramDigits)
	}
	return h, nil
}
