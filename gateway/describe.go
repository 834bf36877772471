package gateway

import (
	"os"
	"strconv"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/control"
)

// describe is what runs. procs is GOMAXPROCS of the workers, 0: this process's.
func describe(c *config.Config, procs int) control.Version {
	v := control.BuildVersion()
	v.Engine, v.Workers = c.Engine, c.Workers
	v.Stages = map[string]bool{"auth": c.Stages.Auth, "admission": c.Stages.Admission, "ledger": c.Stages.Ledger, "log": c.Log.Store != "off"}
	v.LogStore, v.ProcessID, v.StartedUnix = c.Log.Store, os.Getpid(), time.Now().Unix()
	if c.Log.Store == "sqlite" || c.Log.Store == "postgres" {
		v.Durability = c.Log.Durability
	}
	if procs > 0 {
		v.GOMAXPROCS = procs
	}
	return v
}

// buildLabels are those of the metric tollgate_build_info.
func buildLabels(c *config.Config) map[string]string {
	v := control.BuildVersion()
	return map[string]string{
		"version": v.Version, "revision": v.Revision, "dirty": strconv.FormatBool(v.Dirty), "go": v.Go,
		"engine": c.Engine, "log_store": c.Log.Store,
	}
}
