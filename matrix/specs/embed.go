// Package specs embeds the specs that the matrix program carries: quick, default
// and full, and one for each section that would make default too long.
package specs

import "embed"

// FS holds one file per spec, NAME.yaml.
//
//go:embed *.yaml
var FS embed.FS
