// Package pool keeps used values for reuse. It stands apart from package
// exchange because that package holds no lock, and a pool is one.
package pool

import "sync"

// Of is a pool of *T. The zero value is ready and makes new(T).
type Of[T any] struct{ p sync.Pool }

// Get returns a used value, or a new one.
func (o *Of[T]) Get() *T {
	if v, ok := o.p.Get().(*T); ok {
		return v
	}
	return new(T)
}

// Put gives v back: the caller must not touch it afterwards.
func (o *Of[T]) Put(v *T) { o.p.Put(v) }
