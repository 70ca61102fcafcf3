package reference

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// kiln is one kiln of the studio. The studio is frozen at one moment, so that
// the same call reads the same tomorrow.
type kiln struct {
	name, state string
	celsius     int
	// probe says that its temperature can be read.
	probe bool
}

var kilns = []kiln{
	{"east", "firing", 1180, true},
	{"west", "cold", 21, true},
	{"raku", "cold", 0, false},
}

const (
	kilnNames      = `["east","west","raku"]`
	kilnProperty   = `"kiln":{"type":"string","enum":` + kilnNames + `,"description":"Which kiln: east and west are electric, raku is the gas kiln in the yard."}`
	readingSchema  = `{"type":"object","properties":{"kiln":{"type":"string","enum":` + kilnNames + `},"celsius":{"type":"integer"},"state":{"type":"string","enum":["cold","firing","cooling"]}},"required":["kiln","celsius","state"],"additionalProperties":false}`
	bookingPattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`
	bookingSchema  = `{"type":"object","properties":{` + kilnProperty + `,"day":{"type":"string","pattern":"` + bookingPattern + `","description":"The day of the firing as YEAR-MONTH-DAY.","examples":["2026-09-14"]},"busy_for":{"type":"integer","minimum":0,"maximum":9,"description":"For rehearsals: how many tries find the booking desk busy before one gets through. Leave it out."}},"required":["kiln","day"]}`
)

// kilnTemperature declares its output, and fails by tool.error, so that the
// reason of a failure is not held against the schema (F12, gap 17).
func kilnTemperature() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "kiln_temperature",
			Description: "Reads the temperature of one kiln in degrees Celsius, and whether it is cold, firing or cooling. Use it before you say that a kiln may be opened; list_kilns only says which kilns there are.",
			Input:       jsontext.Value(`{"type":"object","properties":{` + kilnProperty + `},"required":["kiln"]}`),
			Output:      jsontext.Value(readingSchema),
		},
		run: func(c *call) spec.Action {
			k, why := kilnOf("kiln_temperature", c)
			switch {
			case why != "":
				return refusal(why)
			case !k.probe:
				return refusal("kiln_temperature: the " + k.name + " kiln has no probe, so its temperature cannot be read; another try does not help")
			}
			// Keys in the order in which an engine prints them (F9).
			reading := fmt.Sprintf(`{"celsius":%d,"kiln":%s,"state":%s}`, k.celsius, jsonv.Quote(k.name), jsonv.Quote(k.state))
			return result(jsontext.Value(reading), textBlock(reading))
		},
	}
}

// bookKiln finds the booking desk busy as often as it is told to, which is a
// failure that passes: the only one that asks for a retry (H4).
func bookKiln() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "book_kiln",
			Description: "Books one kiln for one day. Use it only when a member has named both the kiln and the day; list_kilns says which kilns there are.",
			Input:       jsontext.Value(bookingSchema),
		},
		run: func(c *call) spec.Action {
			k, why := kilnOf("book_kiln", c)
			if why != "" {
				return refusal(why)
			}
			day, _ := c.text("day")
			if _, err := time.Parse(time.DateOnly, day); err != nil {
				return refusal("book_kiln: day " + quoted(day) + ` is no day of the calendar: send YEAR-MONTH-DAY, such as "2026-09-14"`)
			}
			busy, ok := c.busy()
			if !ok {
				return refusal("book_kiln: busy_for must be a whole number from 0 to 9; leave it out")
			}
			if c.tries < busy {
				yes := true
				return spec.ToolErrorAction{
					Error: "book_kiln: the booking desk is busy; try again shortly", Retryable: &yes, Code: spec.CodeRateLimited,
				}
			}
			return result(nil, textBlock("The "+k.name+" kiln is booked for "+day+"."))
		},
	}
}

// busy reads busy_for; absent is 0. A schema takes 2.0 for a whole number.
func (c *call) busy() (uint64, bool) {
	v, ok := jsonv.Get(c.input, "/busy_for")
	if !ok {
		return 0, true
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil || n < 0 || n > 9 || n != float64(uint64(n)) {
		return 0, false
	}
	return uint64(n), true
}

// listKilns requires nothing.
func listKilns() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "list_kilns",
			Description: "Lists the kilns of the studio with their state. Use it when no kiln has been named yet; kiln_temperature reads one kiln exactly.",
			Input:       jsontext.Value(`{"type":"object","properties":{"only_cold":{"type":"boolean","description":"true leaves out kilns that are hot.","default":false}}}`),
		},
		run: func(c *call) spec.Action {
			var lines []string
			for _, k := range kilns {
				if k.state == "cold" || !c.truth("only_cold") {
					lines = append(lines, k.name+": "+k.state)
				}
			}
			return result(nil, textBlock(strings.Join(lines, "\n")))
		},
	}
}

// kilnOf is the kiln that a call names, or the reason why there is none.
func kilnOf(tool string, c *call) (kiln, string) {
	name, ok := c.text("kiln")
	if !ok {
		return kiln{}, tool + `: kiln is missing or no text: send "east", "west" or "raku"`
	}
	for _, k := range kilns {
		if k.name == name {
			return k, ""
		}
	}
	return kiln{}, tool + ": there is no kiln " + quoted(name) + `: send "east", "west" or "raku"`
}
