// Package config reads a gateway's config: one YAML file and a few environment
// variables.
//
//  1. Parse turns the file into a Config. It is strict: a key that is not known, a
//     key given twice and a value of the wrong kind are errors that name file,
//     line and key, and the nearest known key.
//  2. ApplyEnv puts the overrides of the environment over it.
//  3. Validate checks ranges and references, again by file, line and key.
//  4. Resolve reads the secrets that the file names, and makes what the request
//     path works with: a snapshot and the keys' accounts.
//
// Nothing in a file is substituted from the environment. The comments of the
// fields in types.go are the reference that Reference prints.
package config
