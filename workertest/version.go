package workertest

import (
	"runtime/debug"
	"sync"

	"github.com/hallmarkdev/hallmark/spec"
)

const modulePath = "github.com/hallmarkdev/hallmark"

// madeBy names the versions on which a verdict depends.
var madeBy = sync.OnceValue(func() spec.MadeBy {
	m := spec.MadeBy{Hallmark: "devel", Registry: spec.RegistryVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == modulePath && module.Version != "" && module.Version != "(devel)" {
			m.Hallmark = module.Version
		}
	}
	return m
})
