package reference

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The two tools whose work ends later: see [Engine].
const (
	firing = "fire_kiln"
	mixing = "mix_glaze"
)

const (
	firingSchema = `{"type":"object","properties":{` + kilnProperty + `,"cone":{"type":"string","enum":["06","6","10"],"description":"How hot: 06 is a bisque firing, 6 and 10 are glaze firings. The raku kiln reaches 06 only.","examples":["6"]}},"required":["kiln","cone"]}`
	mixingSchema = `{"type":"object","properties":{"glaze":{"type":"string","description":"Name of a glaze on the studio's shelf, in lower case, such as 'celadon'.","examples":["celadon"]},"grams":{"type":"integer","minimum":100,"maximum":20000,"description":"How much dry glaze to mix, in grams.","examples":[3000]}},"required":["glaze","grams"]}`
	batchSchema  = `{"type":"object","properties":{"glaze":{"type":"string"},"grams":{"type":"integer"},"buckets":{"type":"integer"}},"required":["glaze","grams","buckets"],"additionalProperties":false}`

	// bucket is how much dry glaze goes into one bucket, in grams.
	bucket = 2000
)

// fireKiln fails in the middle of its work where a kiln does not get as hot as
// it should, so that a failure can come late as well.
func fireKiln() tool {
	return tool{
		later: true,
		AgentTool: spec.AgentTool{
			Name:        firing,
			Description: "Fires one kiln to a cone, and answers when it has been fired. Use it when the kiln is loaded; book_kiln books it for another day.",
			Input:       jsontext.Value(firingSchema),
		},
		run: func(c *call) spec.Action {
			k, why := kilnOf(firing, c)
			if why != "" {
				return refusal(why)
			}
			cone, _ := c.text("cone")
			switch {
			case cone != "06" && cone != "6" && cone != "10":
				return refusal(firing + `: cone must be "06", "6" or "10"`)
			case k.name == "raku" && cone != "06":
				return refusal(firing + ": the raku kiln went out below cone " + cone + `; send cone "06", or another kiln`)
			}
			return result(nil, textBlock("The "+k.name+" kiln has been fired to cone "+cone+"."))
		},
	}
}

// mixGlaze declares its output, which holds for a result that comes later too
// (F12).
func mixGlaze() tool {
	return tool{
		later: true,
		AgentTool: spec.AgentTool{
			Name:        mixing,
			Description: "Mixes a batch of one glaze, and answers when it has been sieved. Use it to make glaze; find_glaze only says how one looks.",
			Input:       jsontext.Value(mixingSchema),
			Defer:       &seldom,
			Output:      jsontext.Value(batchSchema),
		},
		run: func(c *call) spec.Action {
			g, why := glazeOf(mixing, c)
			if why != "" {
				return refusal(why)
			}
			raw, _ := jsonv.Get(c.input, "/grams")
			grams, ok := grams(raw)
			if !ok {
				return refusal(mixing + ": grams must be a whole number from 100 to 20000")
			}
			batch := fmt.Sprintf(`{"buckets":%d,"glaze":%s,"grams":%d}`, (grams+bucket-1)/bucket, jsonv.Quote(g.name), grams)
			return result(jsontext.Value(batch), textBlock(batch))
		},
	}
}

// grams reads a whole number in bounds. A schema takes 3000.0 for one.
func grams(raw jsontext.Value) (int, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(string(raw)), 64)
	if err != nil || n < 100 || n > 20000 || n != float64(int(n)) {
		return 0, false
	}
	return int(n), true
}
