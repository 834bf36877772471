package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
)

// chart is a small picture: named lines over the same places on the x axis,
// which are evenly spaced, whatever their numbers.
type chart struct {
	title, under, x, y string // under: the conditions, below the title
	lines              []line
	total              []point           // of stacked bars: what all lines add up to
	over               map[string]string // of stacked bars: a word above each, by place
}

type line struct {
	name   string
	points []point
}

type point struct {
	at string
	y  results.Spread
}

// Layout in pixels.
const (
	svgWidth, svgHeight       = 640, 340
	left, right, top, bottom  = 70, 20, 80, 50
	plotWidth, plotHeight     = svgWidth - left - right, svgHeight - top - bottom
	barWidth                  = 36
	ticks                     = 8 // at most
	legendY                   = 64
	legendStep                = 100
	svgFont                   = `font-family="sans-serif" font-size="12" fill="#333"`
	foundation, grid, whisker = "#888", "#ddd", 4
)

// colours are told apart in grey and by colour-blind readers too.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"}

// places is every place on the x axis, in order of appearance.
func (c *chart) places() []string {
	var out []string
	for _, l := range c.lines {
		for _, p := range l.points {
			out = appendNew(out, p.at)
		}
	}
	return out
}

// niceAxis is the step between the ticks of the y axis, 1, 2, 2.5 or 5 times a
// power of ten, and how many steps hold v: the axis ends at most a quarter
// above v.
func niceAxis(v float64) (step float64, n int) {
	if v <= 0 {
		return 1, 1
	}
	least := v / ticks
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	step = 10 * unit
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*unit >= least {
			step = m * unit
			break
		}
	}
	return step, int(math.Ceil(v / step))
}

// frame draws title, axes, ticks and legend.
func (c *chart) frame(b *bytes.Buffer, highest float64) (x func(string) float64, y func(float64) float64) {
	places := c.places()
	step, n := niceAxis(highest)
	yTop := step * float64(n)
	x = func(at string) float64 {
		i := slices.Index(places, at)
		return left + plotWidth*(float64(i)+0.5)/float64(len(places))
	}
	y = func(v float64) float64 { return top + plotHeight*(1-v/yTop) }
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", svgWidth, svgHeight, svgWidth, svgHeight)
	fmt.Fprintf(b, "<title>%s</title>\n", html.EscapeString(c.name()))
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", svgWidth, svgHeight)
	c.word(b, 12, 20, "start", c.title)
	c.word(b, 12, 40, "start", c.under)
	for i := range n + 1 {
		v := step * float64(i)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s"/>`+"\n", left, y(v), svgWidth-right, y(v), grid)
		c.word(b, left-8, y(v)+4, "end", significant(v))
	}
	fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s"/>`+"\n", left, y(0), svgWidth-right, y(0), foundation)
	for _, at := range places {
		c.word(b, x(at), svgHeight-bottom+18, "middle", at)
	}
	c.word(b, left+plotWidth/2, svgHeight-12, "middle", c.x)
	c.word(b, 12, legendY, "start", c.y)
	for i, l := range c.lines {
		at := left + 20 + float64(i)*min(legendStep, float64(plotWidth-20)/float64(len(c.lines)))
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="12" height="12" fill="%s"/>`+"\n", at, legendY-10, colours[i%len(colours)])
		c.word(b, at+18, legendY, "start", l.name)
	}
	return x, y
}

// name is the title with the conditions.
func (c *chart) name() string { return c.title + ", " + c.under }

// whiskers draws the range of the repetitions.
func whiskers(b *bytes.Buffer, at, lo, hi float64, colour string) {
	fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1fM%.1f %.1fV%.1fM%.1f %.1fH%.1f" stroke="%s"/>`+"\n",
		at-whisker, lo, at+whisker, at, lo, hi, at-whisker, hi, at+whisker, colour)
}

func (c *chart) word(b *bytes.Buffer, x, y float64, anchor, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, svgFont, html.EscapeString(s))
}

// svg draws lines through medians, with the range of the repetitions.
func (c *chart) svg() []byte {
	var b bytes.Buffer
	highest := 0.0
	for _, l := range c.lines {
		for _, p := range l.points {
			highest = max(highest, p.y.Max)
		}
	}
	x, y := c.frame(&b, highest)
	for i, l := range c.lines {
		colour := colours[i%len(colours)]
		var path bytes.Buffer
		for _, p := range l.points {
			fmt.Fprintf(&path, "%.1f,%.1f ", x(p.at), y(p.y.Median))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", bytes.TrimSpace(path.Bytes()), colour)
		for _, p := range l.points {
			whiskers(&b, x(p.at), y(p.y.Min), y(p.y.Max), colour)
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x(p.at), y(p.y.Median), colour)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// stacked draws the lines' medians on top of each other, as bars, with the
// range of the total.
func (c *chart) stacked() []byte {
	var b bytes.Buffer
	sums := make(map[string]float64)
	highest := 0.0
	for _, l := range c.lines {
		for _, p := range l.points {
			sums[p.at] += p.y.Median
			highest = max(highest, sums[p.at])
		}
	}
	for _, p := range c.total {
		highest = max(highest, p.y.Max)
	}
	x, y := c.frame(&b, highest)
	clear(sums)
	for i, l := range c.lines {
		for _, p := range l.points {
			low := sums[p.at]
			sums[p.at] += p.y.Median
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%d" height="%.1f" fill="%s"/>`+"\n",
				x(p.at)-barWidth/2, y(sums[p.at]), barWidth, y(low)-y(sums[p.at]), colours[i%len(colours)])
		}
	}
	for _, at := range c.places() {
		if word := c.over[at]; word != "" {
			c.word(&b, x(at), y(sums[at])-4, "middle", word)
		}
	}
	for _, p := range c.total {
		whiskers(&b, x(p.at), y(p.y.Min), y(p.y.Max), "#000")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
