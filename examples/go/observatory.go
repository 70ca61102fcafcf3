package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A tool is what the model is told about it, and what it does. run returns a refusal when the call cannot be done.
type tool struct {
	name        string
	declaration string // an AgentTool as JSON
	run         func(value object, c *call) (toolResult, error)
}

type toolResult struct {
	Content           []block `json:"content"`
	StructuredContent any     `json:"structuredContent,omitempty"`
}

// A block is a text or an image; an image's bytes are plain base64, with no "data:" prefix and no line breaks.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

func say(format string, values ...any) block {
	return block{Type: "text", Text: fmt.Sprintf(format, values...)}
}

// A refusal is the answer "no" that a tool gives on purpose. Its text is all that the model reads, so it says what to
// send instead. retryable is for faults that pass by themselves: the engine then repeats the identical call.
type refusal struct {
	text      string
	retryable bool
	code      string
}

func (r refusal) Error() string { return r.text }

// A celestial is an entry of the catalogue. Rounded values, good enough here.
type celestial struct {
	name, kind, ra, dec string
	magnitude           map[string]float64
}

var catalogue = []celestial{
	{"Vega", "star in Lyra", "18h 36m 56s", "+38d 47m 01s", map[string]float64{"B": 0.03, "V": 0.03, "R": 0.07}},
	{"Sirius", "star in Canis Major", "06h 45m 09s", "-16d 42m 58s", map[string]float64{"B": -1.46, "V": -1.46, "R": -1.43}},
	{"Betelgeuse", "star in Orion", "05h 55m 10s", "+07d 24m 25s", map[string]float64{"B": 2.27, "V": 0.42, "R": -1.17}},
	{"Polaris", "star in Ursa Minor", "02h 31m 49s", "+89d 15m 51s", map[string]float64{"B": 2.62, "V": 2.02, "R": 1.53}},
	{"M31", "galaxy in Andromeda", "00h 42m 44s", "+41d 16m 09s", map[string]float64{"B": 4.36, "V": 3.44, "R": 2.66}},
	{"M13", "globular cluster in Hercules", "16h 41m 42s", "+36d 27m 37s", map[string]float64{"B": 6.48, "V": 5.78, "R": 5.34}},
}

// A grey picture of 4 x 4 points.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAGklEQVR42mNgEBFhYBD5f0KEQeTEFhBThAEAJ9MD5IcDrPgAAAAASUVORK5CYII="

// The engine checks arguments against the schema when it knows it. It does not for a call that it cannot trace, so each
// tool looks at its own fields once more.

func objectNamed(raw json.RawMessage) (celestial, error) {
	name, ok := text(raw)
	if !ok {
		return celestial{}, refusal{text: `name must be a string such as "Vega"`}
	}
	var known []string
	for _, entry := range catalogue {
		if entry.name == name {
			return entry, nil
		}
		known = append(known, `"`+entry.name+`"`)
	}
	return celestial{}, refusal{text: fmt.Sprintf(`no object named "%s" in the catalogue; try one of %s as name`,
		short(name, 40), strings.Join(known, ", "))}
}

// whole reads an integer; JSON Schema counts 5.0 as one.
func whole(raw json.RawMessage, low, high int) (int, bool) {
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != math.Trunc(number) || number < float64(low) || number > float64(high) {
		return 0, false
	}
	return int(number), true
}

var datePattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func findObject(value object, _ *call) (toolResult, error) {
	found, err := objectNamed(value["name"])
	if err != nil {
		return toolResult{}, err
	}
	words := say("%s (%s): right ascension %s, declination %s", found.name, found.kind, found.ra, found.dec)
	return toolResult{Content: []block{words}}, nil
}

// A tool with an output schema fails by refusal, never by a flagged result: the schema would be held against it.
func measureBrightness(value object, _ *call) (toolResult, error) {
	found, err := objectNamed(value["name"])
	if err != nil {
		return toolResult{}, err
	}
	filter, _ := text(value["filter"])
	magnitude, ok := found.magnitude[filter]
	if !ok {
		return toolResult{}, refusal{text: `filter must be one of "B", "V", "R"`}
	}
	return toolResult{
		Content:           []block{say("%s has magnitude %v in filter %s", found.name, magnitude, filter)},
		StructuredContent: map[string]any{"name": found.name, "magnitude": magnitude, "filter": filter},
	}, nil
}

func reserveTelescope(value object, c *call) (toolResult, error) {
	telescope, _ := text(value["telescope"])
	if telescope != "north" && telescope != "south" {
		return toolResult{}, refusal{text: `telescope must be "north" or "south"`}
	}
	night, _ := text(value["night"])
	if _, err := time.Parse(time.DateOnly, night); err != nil || !datePattern.MatchString(night) {
		return toolResult{}, refusal{text: `night must be a date written YYYY-MM-DD, such as "2026-08-28"`}
	}
	busy, ok := 0, true
	if raw := value["busy_for"]; raw != nil {
		busy, ok = whole(raw, 0, 5)
	}
	if !ok {
		return toolResult{}, refusal{text: "busy_for must be a whole number from 0 to 5, or left out"}
	}
	if c.attemptsSoFar() <= busy {
		return toolResult{}, refusal{
			text:      fmt.Sprintf("the dome computer of the %s telescope is busy; the same request can be sent again", telescope),
			retryable: true, code: "rate_limited",
		}
	}
	c.forgetAttempts()
	return toolResult{Content: []block{say("the %s telescope is reserved for the night of %s", telescope, night)}}, nil
}

func takeExposure(value object, _ *call) (toolResult, error) {
	found, err := objectNamed(value["name"])
	if err != nil {
		return toolResult{}, err
	}
	seconds, ok := whole(value["seconds"], 1, 30)
	if !ok {
		return toolResult{}, refusal{text: "seconds must be a whole number from 1 to 30"}
	}
	image := block{Type: "image", Data: picture, MimeType: "image/png"}
	return toolResult{Content: []block{image, say("exposure of %s, %d s", found.name, seconds)}}, nil
}

// observatory gives the tools in the order in which they are declared.
func observatory() []tool {
	return []tool{
		{"find_object", findObjectDeclaration, findObject},
		{"measure_brightness", measureBrightnessDeclaration, measureBrightness},
		{"reserve_telescope", reserveTelescopeDeclaration, reserveTelescope},
		{"take_exposure", takeExposureDeclaration, takeExposure},
	}
}

const findObjectDeclaration = `{
  "name": "find_object",
  "description": "Gives kind and position (right ascension, declination) of a catalogue object, such as \"Vega\" or \"M31\". Use it to find out where something is; for how bright it is use measure_brightness, for a picture take_exposure.",
  "input": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string",
        "description": "Name of a catalogue object, written as in the catalogue, such as \"Vega\" or \"M31\".",
        "examples": ["Vega"]
      }
    },
    "required": ["name"],
    "additionalProperties": false
  }
}`

const measureBrightnessDeclaration = `{
  "name": "measure_brightness",
  "description": "Measures the magnitude of a catalogue object in one filter. Prefer it over take_exposure when a number is wanted and no picture; for the position use find_object.",
  "input": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string",
        "description": "Name of a catalogue object, written as in the catalogue, such as \"Vega\" or \"M31\".",
        "examples": ["Vega"]
      },
      "filter": {
        "type": "string",
        "enum": ["B", "V", "R"],
        "description": "B is blue, V is visual, R is red. V is the usual choice."
      }
    },
    "required": ["name", "filter"],
    "additionalProperties": false
  },
  "output": {
    "type": "object",
    "properties": {
      "name": {"type": "string"},
      "magnitude": {"type": "number"},
      "filter": {
        "type": "string",
        "enum": ["B", "V", "R"],
        "description": "B is blue, V is visual, R is red. V is the usual choice."
      }
    },
    "required": ["name", "magnitude", "filter"],
    "additionalProperties": false
  }
}`

const reserveTelescopeDeclaration = `{
  "name": "reserve_telescope",
  "description": "Reserves a telescope for one whole night. Use it for a later night only; to take a picture now use take_exposure, which needs no reservation.",
  "input": {
    "type": "object",
    "properties": {
      "telescope": {
        "type": "string",
        "enum": ["north", "south"],
        "description": "Which dome to reserve.",
        "examples": ["north"]
      },
      "night": {
        "type": "string",
        "format": "date",
        "pattern": "^\\d{4}-\\d{2}-\\d{2}$",
        "description": "Date on which the night begins, written YYYY-MM-DD, such as \"2026-08-28\".",
        "examples": ["2026-08-28"]
      },
      "busy_for": {
        "type": "integer",
        "minimum": 0,
        "maximum": 5,
        "description": "For rehearsals: how many attempts find the dome computer busy. Leave it out otherwise.",
        "examples": [0]
      }
    },
    "required": ["telescope", "night"],
    "additionalProperties": false
  }
}`

const takeExposureDeclaration = `{
  "name": "take_exposure",
  "description": "Takes a picture of a catalogue object now and returns it as a PNG image. Use it only when a picture is wanted; measure_brightness is quicker when a number is enough.",
  "input": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string",
        "description": "Name of a catalogue object, written as in the catalogue, such as \"Vega\" or \"M31\".",
        "examples": ["M31"]
      },
      "seconds": {
        "type": "integer",
        "minimum": 1,
        "maximum": 30,
        "description": "Exposure time in whole seconds, 1 to 30.",
        "examples": [5]
      }
    },
    "required": ["name", "seconds"],
    "additionalProperties": false
  }
}`
