package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/spec"
)

// version is the release; a build from a checkout says so.
const version = "0.1.0"

func versionCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions on which a verdict depends",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(io.out, "hallmark %s%s\nprotocol %s\nrequirements %s\nrecording format %d\n%s %s/%s\n",
				version, revision(), spec.ProtocolVersion, spec.RegistryVersion, spec.RecordingVersion,
				runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// revision is the commit that the binary was built from, where it is known.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return " (" + s.Value[:12] + ")"
		}
	}
	return ""
}
