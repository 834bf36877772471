package openai

import (
	"reflect"
	"testing"
)

// TestResetForgets compares a used stream, reset, with a new one, in all but
// the memory that it keeps.
func TestResetForgets(t *testing.T) {
	for _, text := range streams {
		for cut := range len(text) {
			s := Stream{Answer: Answer{KeepText: true}}
			for b := []byte(text[:cut]); len(b) > 0; {
				n, _ := s.Scan(b)
				b = b[n:]
			}
			s.Reset()
			s.Text = nil
			s.shape = shape{beforeLen: s.shape.beforeLen, afterLen: s.shape.afterLen}
			if want := (Stream{}); !reflect.DeepEqual(s, want) {
				t.Fatalf("%q: %+v", text[:cut], s)
			}
		}
	}
}
