// Package spec reads what a run of the lab should measure: a YAML file of
// sections, each a union of axis products.
//
//	Load → Parse (strict: unknown keys name file, line and the nearest key)
//	     → Validate → *Spec → plan.Expand
//
// It decides nothing about order, floors or what the host can do: that is the
// plan's part.
package spec
