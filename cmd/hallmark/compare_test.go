package main

import (
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// sameRun wants two folders of recordings to be of the same run: for each case
// the same digest of what was asked (R20).
func sameRun(ts *testscript.TestScript, neg bool, args []string) {
	a, b := askedIn(ts, args[0]), askedIn(ts, args[1])
	if len(a) < 2 {
		ts.Fatalf("%s holds %d recordings", args[0], len(a))
	}
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s: %s", args[0], args[1], diff)
	}
}

// askedIn gives the digest of each case of a folder.
func askedIn(ts *testscript.TestScript, folder string) map[string]string {
	names, err := filesBelow(ts.MkAbs(folder))
	ts.Check(err)
	asked := map[string]string{}
	for _, name := range names {
		f, err := os.Open(name)
		ts.Check(err)
		id := ""
		for e, err := range recorder.NewReader(f).All() {
			ts.Check(err)
			switch d := e.Data.(type) {
			case *spec.HeaderEvent:
				id = d.ID
			case *spec.CloseEvent:
				if _, twice := asked[id]; twice || d.Asked == "" {
					ts.Fatalf("%s: the case %s stands twice or has no digest", name, id)
				}
				asked[id] = d.Asked
			}
		}
		ts.Check(f.Close())
	}
	return asked
}

// sameReport wants two reports in JSON to be equal but for what was measured
// and for addresses and names of files.
func sameReport(ts *testscript.TestScript, neg bool, args []string) {
	a, b := steady(ts, args[0]), steady(ts, args[1])
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s: %s", args[0], args[1], diff)
	}
}

func steady(ts *testscript.TestScript, file string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	dropUnsteady(v)
	if cases, ok := v.(map[string]any)["cases"].([]any); !ok || len(cases) < 2 {
		ts.Fatalf("%s is no report of a run", file)
	}
	return v
}

func dropUnsteady(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch name {
			case "measured", "recording", "repeat", "curl", "url":
				delete(v, name)
			default:
				dropUnsteady(v[name])
			}
		}
	case []any:
		for _, item := range v {
			dropUnsteady(item)
		}
	}
}
