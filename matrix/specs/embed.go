// Package specs embeds the specs that the matrix program carries: quick,
// default and full.
package specs

import "embed"

// FS holds one file per spec, NAME.yaml.
//
//go:embed *.yaml
var FS embed.FS
