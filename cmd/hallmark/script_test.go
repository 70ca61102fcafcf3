package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hallmarkdev/hallmark/internal/outgoing"
	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hallmark": main, "keeper": keeperMain, "declarer": declarerMain})
}

// TestScripts runs the command lines of testdata/script. Beside the commands of
// testscript there are those of commands_test.go. $SCENARIOS is the folder
// testdata/scenarios, $DIVERGE the one of the recordings that must diverge.
func TestScripts(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(filepath.Join("testdata", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	diverge, err := filepath.Abs(filepath.Join("..", "..", "recorder", "replay", "testdata", "diverge"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition: func(name string) (bool, error) {
			if name == "outside" {
				return outside() != "", nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCENARIOS", folder)
			env.Setenv("DIVERGE", diverge)
			misfit := filepath.Join(env.WorkDir, ".misfit")
			env.Setenv(outgoing.Misfit, misfit)
			env.Defer(func() {
				if said, err := os.ReadFile(misfit); err == nil {
					env.T().Fatal(string(said))
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     code,
			"fits":     fits,
			"keep":     keep,
			"serve":    serveWorker,
			"reword":   reword,
			"port":     port,
			"accepts":  accepts,
			"same-run": sameRun,
			"same":     sameReport,
			"damage":   damage,
		},
	})
}
