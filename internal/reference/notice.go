package reference

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// studioNotice declares no input at all, so nothing checks its arguments (E7).
// It shows the two results that need care: a page that is too long for a
// conversation is cut and says so, and a page that does not exist is a result
// that is flagged, with the reason in its text (F13).
func studioNotice() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "studio_notice",
			Description: "Gives the notice at the studio's door with its opening hours, and a link to the whole text. It takes no arguments; {\"page\": 2} gives the house rules.",
			Defer:       &seldom,
		},
		run: func(c *call) spec.Action {
			page, ok := jsonv.Get(c.input, "/page")
			switch {
			case !ok || string(page) == "1":
				return result(nil, noticeBlocks()...)
			case string(page) == "2":
				return result(nil, textBlock(houseRules()))
			}
			return spec.ToolResultAction{Result: encode(spec.ToolResult{
				Content: []spec.ToolContent{textBlock("studio_notice: there is no such page; send {\"page\": 1} or {\"page\": 2}")}, IsError: true,
			})}
		},
	}
}

func noticeBlocks() []spec.ToolContent {
	uri, name, mime := "https://studio.example/notice", "Notice at the door", "text/html"
	return []spec.ToolContent{
		textBlock("Open Tuesday to Saturday from ten to six. Closed while the east kiln is unloaded."),
		{Type: spec.BlockResourceLink, URI: &uri, Name: &name, MimeType: &mime},
	}
}

// houseRules are the rules as far as a conversation bears them.
func houseRules() string {
	const most = 64 << 10
	var all strings.Builder
	for n := 1; all.Len() < 3*most; n++ {
		fmt.Fprintf(&all, "Rule %d: whoever opens a kiln before it has cooled pays for what cracks.\n", n)
	}
	text := all.String()
	cut := strings.LastIndexByte(text[:most], '\n') + 1
	return text[:cut] + fmt.Sprintf("(%d of %d characters; the whole text is at https://studio.example/rules)", cut, len(text))
}
