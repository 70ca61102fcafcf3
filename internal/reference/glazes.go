package reference

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// glaze is one glaze of the studio's shelf.
type glaze struct {
	name, looks, cone string
	colour            color.RGBA
}

var glazes = []glaze{
	{"celadon", "a clear grey-green that pools in carving", "10", color.RGBA{0x9f, 0xb8, 0xa3, 0xff}},
	{"tenmoku", "a dark brown that breaks to rust on edges", "10", color.RGBA{0x3b, 0x1f, 0x14, 0xff}},
	{"shino", "a thick white with orange where it is thin", "9", color.RGBA{0xe8, 0xd8, 0xc4, 0xff}},
	{"oribe", "a bright copper green", "6", color.RGBA{0x2f, 0x6b, 0x4f, 0xff}},
}

const glazeSchema = `{"type":"object","properties":{"glaze":{"type":"string","description":"Name of a glaze on the studio's shelf, in lower case: 'celadon', 'tenmoku', 'shino' or 'oribe'.","examples":["celadon","oribe"]}},"required":["glaze"]}`

// findGlaze answers in words, and tells what to send instead of a name that is
// not on the shelf.
func findGlaze() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "find_glaze",
			Description: "Looks up one glaze by name and says how it looks and at which cone it is fired. Use it for any question about a glaze; use glaze_swatch when somebody wants to see the colour.",
			Input:       jsontext.Value(glazeSchema),
		},
		run: func(c *call) spec.Action {
			g, why := glazeOf("find_glaze", c)
			if why != "" {
				return refusal(why)
			}
			return result(nil, textBlock(fmt.Sprintf("%s: %s. Fire it at cone %s.", g.name, g.looks, g.cone)))
		},
	}
}

// glazeSwatch answers with an image and with words beside it, since a model
// that is shown no images reads the words only (F9).
func glazeSwatch() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "glaze_swatch",
			Description: "Shows a swatch of one glaze as a PNG image. Use it when somebody wants to see a colour; find_glaze answers everything else about a glaze.",
			Input:       jsontext.Value(glazeSchema),
		},
		run: func(c *call) spec.Action {
			g, why := glazeOf("glaze_swatch", c)
			if why != "" {
				return refusal(why)
			}
			return result(nil, textBlock("A swatch of "+g.name+": "+g.looks+"."), imageBlock(swatch(g.colour)))
		},
	}
}

// glazeOf is the glaze that a call names, or the reason why there is none.
func glazeOf(tool string, c *call) (glaze, string) {
	var names []string
	for _, g := range glazes {
		names = append(names, g.name)
	}
	name, ok := c.text("glaze")
	if !ok {
		return glaze{}, tool + `: glaze is missing or no text: send {"glaze": "celadon"}`
	}
	for _, g := range glazes {
		if g.name == name {
			return g, ""
		}
	}
	why := tool + ": glaze " + quoted(name) + " is not on the shelf; "
	if near, ok := suggest.Nearest(name, names); ok {
		return glaze{}, why + "did you mean " + near + "?"
	}
	return glaze{}, why + "send one of " + strings.Join(names, ", ")
}

func imageBlock(data string) spec.ToolContent {
	mime := "image/png"
	return spec.ToolContent{Type: spec.BlockImage, Data: &data, MimeType: &mime}
}

// swatch is a small image of one colour, as plain base64 (F8).
func swatch(c color.RGBA) string {
	img := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{c})
	var out bytes.Buffer
	// Writing to memory does not fail, and 8 by 8 is a size PNG has.
	_ = png.Encode(&out, img)
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
