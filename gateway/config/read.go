package config

// Read is a whole config from a file's bytes: parsed, overridden by the
// environment, validated. It takes bytes, not a path, so that workers can be given
// what their supervisor read, and a file that changes meanwhile does not part
// them.
func Read(file string, data []byte, lookup func(string) (string, bool)) (*Config, error) {
	c, err := Parse(file, data)
	if err != nil {
		return nil, err
	}
	if err := c.ApplyEnv(lookup); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}
