package loadgen

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The histograms' range and precision (METHOD.md): 1 ns to 10 min, 3
// significant digits. One holds 30 × 1024 counters, 240 KB.
const (
	histogramMax    = 10 * time.Minute
	histogramDigits = 3
)

// NewHistogram makes an empty histogram as the generator uses it, in
// nanoseconds.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(histogramMax), histogramDigits)
}

// EncodeHistogram gives the V2 compressed form in base64, as HdrHistogram
// logs carry it.
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(b), nil
}

// DecodeHistogram is the inverse of EncodeHistogram. A histogram of another
// range or precision is refused, since merging it would drop or move values.
func DecodeHistogram(s string) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	low, high, digits := h.LowestTrackableValue(), h.HighestTrackableValue(), h.SignificantFigures()
	if low != 1 || high != int64(histogramMax) || digits != histogramDigits {
		return nil, fmt.Errorf("decode histogram: range %d–%d ns with %d digits is not 1–%d with %d", low, high, digits, int64(histogramMax), histogramDigits)
	}
	return h, nil
}

// Histogram decodes one histogram of a Result; an empty one when the run had
// no value for it.
func (r *Result) Histogram(l Latency) (*hdrhistogram.Histogram, error) {
	s, ok := r.Histograms[l]
	if !ok {
		return NewHistogram(), nil
	}
	h, err := DecodeHistogram(s)
	if err != nil {
		return nil, fmt.Errorf("histogram %s: %w", l, err)
	}
	return h, nil
}
