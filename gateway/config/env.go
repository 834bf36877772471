package config

import (
	"reflect"
	"strings"
)

// overrides are the keys that an environment variable may set, over the file. The
// connection string of the log has no key: log.dsn_env names its variable.
var overrides = []struct{ name, path string }{
	{"TOLLGATE_LISTEN", "listen"},
	{"TOLLGATE_ENGINE", "engine"},
	{"TOLLGATE_WORKERS", "workers"},
	{"TOLLGATE_CONTROL_LISTEN", "control.listen"},
	{"TOLLGATE_LOG_STORE", "log.store"},
	{"TOLLGATE_LOG_DURABILITY", "log.durability"},
	{"TOLLGATE_LOG_PATH", "log.path"},
	{"TOLLGATE_STATE_DIR", "state.dir"},
	{"TOLLGATE_LOGGING_LEVEL", "logging.level"},
}

// ApplyEnv puts the environment's overrides over c. A variable that is set but
// empty counts as not set.
func (c *Config) ApplyEnv(lookup func(string) (string, bool)) error {
	for _, o := range overrides {
		text, ok := lookup(o.name)
		if !ok || text == "" {
			continue
		}
		if c.src.env == nil {
			c.src.env = make(map[string]string)
		}
		c.src.env[o.path] = o.name
		v := reflect.ValueOf(c).Elem()
		for key := range strings.SplitSeq(o.path, ".") {
			fields, _ := fieldsOf(v.Type())
			v = v.Field(fields[key])
		}
		if err := setScalar(v, text); err != nil {
			return &Error{At: c.src.at(o.path), Key: o.path, Err: err}
		}
	}
	return nil
}
