package matrix

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/build"
)

func versionCommand(_ context.Context, in *invocation) (int, error) {
	if len(in.args) > 0 && (in.args[0] == "-h" || in.args[0] == "--help") {
		fmt.Fprint(in.stdout, versionHelp)
		return exitOK, nil
	}
	v, rev := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		v = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				rev = " " + s.Value + rev
			case s.Key == "vcs.modified" && s.Value == "true":
				rev += " modified"
			}
		}
		v += rev + " " + info.GoVersion
	}
	fmt.Fprintln(in.stdout, "matrix", v)
	return exitOK, nil
}

// ownVersion is the main module's version: "(devel)" in a checkout.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

func bodyCommand(_ context.Context, in *invocation) (int, error) {
	rest, err := parseMixed(flags("body"), in.args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, wrong("body: want one name")
	}
	dir, _ := bodies.DataFolder(moduleRoot(), os.Getenv)
	b, err := bodies.Read(dir, rest[0])
	if err != nil {
		return 0, usageError{err}
	}
	_, err = in.stdout.Write(b)
	return exitOK, err
}

// moduleRoot is the root of the module's checkout that the working directory
// is in; "" outside of one.
func moduleRoot() string {
	wd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return build.Root(wd)
}
