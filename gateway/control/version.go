package control

import (
	"runtime"
	"runtime/debug"
)

// Version is what runs, read from the binary itself and the config that it
// serves.
type Version struct {
	Module      string          `json:"module"`
	Version     string          `json:"version"`
	Revision    string          `json:"revision"` // of the version control; "" when the build had none
	Dirty       bool            `json:"dirty"`    // the tree had changes
	RevisionAt  string          `json:"revision_time,omitempty"`
	Go          string          `json:"go"`
	Platform    string          `json:"platform"`
	CPUs        int             `json:"cpus"`
	GOMAXPROCS  int             `json:"gomaxprocs"` // of each worker
	Engine      string          `json:"engine,omitempty"`
	Workers     int             `json:"workers,omitempty"`
	Stages      map[string]bool `json:"stages,omitempty"`
	LogStore    string          `json:"log_store,omitempty"`
	Durability  string          `json:"log_durability,omitempty"`
	ProcessID   int             `json:"pid,omitempty"`
	StartedUnix int64           `json:"started_unix,omitempty"`
}

// BuildVersion is the part of Version that the binary knows.
func BuildVersion() Version {
	v := Version{
		Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Module, v.Version = info.Main.Path, info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.RevisionAt = s.Value
		case "vcs.modified":
			v.Dirty = s.Value == "true"
		}
	}
	return v
}
