package spec

import (
	"slices"
	"strings"
)

// Side is who can get wrong what a field report tells of.
type Side string

// The sides.
const (
	// WorkerSide: a worker can; scenarios show whether one does.
	WorkerSide Side = "worker"
	// EngineSide: an engine can, the simulated one among them; its tests show
	// that it does not.
	EngineSide Side = "engine"
	// HarnessSide: whoever drives, records, compares or judges can; the tests of
	// Hallmark's own parts show that they do not.
	HarnessSide Side = "harness"
)

// FieldReport is a failure of tool calling that somebody met and told of in
// public. It stands for its kind: what covers it covers the kind, and not the
// one input that was seen. Scenarios and requirements name it by
// [FieldReport.Ref].
type FieldReport struct {
	// Number is its number, three digits; stable, with gaps.
	Number string
	// Title says in a few words what went wrong.
	Title string
	// Sides are those that can get it wrong, never none.
	Sides []Side
	// Sources are the public pages that tell of it, never none.
	Sources []string
	// Limit says what of the kind nobody can see from outside, and why; empty
	// when all of it is covered.
	Limit string
}

// fieldReportPrefix begins the name of a report among sources and refs.
const fieldReportPrefix = "field-report:"

// Ref is how sources of requirements and refs of scenarios name the report:
// "field-report:041".
func (r FieldReport) Ref() string { return fieldReportPrefix + r.Number }

// FieldReports returns all reports, sorted by number. The slice is the caller's
// own; the slices in it are shared and only to be read. Safe for concurrent use.
func FieldReports() []FieldReport { return slices.Clone(fieldReports) }

// LookupFieldReport finds the report that a ref such as "field-report:041"
// names.
func LookupFieldReport(ref string) (FieldReport, bool) {
	number, ok := strings.CutPrefix(ref, fieldReportPrefix)
	if !ok {
		return FieldReport{}, false
	}
	i := slices.IndexFunc(fieldReports, func(r FieldReport) bool { return r.Number == number })
	if i < 0 {
		return FieldReport{}, false
	}
	return fieldReports[i], true
}

// FieldGap is a side of a report that nothing covers, and why.
type FieldGap struct {
	// Number is the report's number.
	Number string
	Side   Side
	// Reason says why nothing covers it.
	Reason string
}

// FieldGaps returns the sides of reports that nothing covers, sorted by number;
// all others are. The slice is the caller's own.
func FieldGaps() []FieldGap { return slices.Clone(fieldGaps) }

// The usual limits of what can be seen of a kind.
const (
	limitActed = "whether the tool acted cannot be seen from outside, and to run, repair or refuse is free"
	limitValue = "what a tool makes of a value is seen only where its result says so; what the worker hands back of the call is judged"
	limitTold  = "no tool of a stranger can be made to do this; it is judged in every answer that is given, and in samples whose outcome hallmark.yaml tells"
)

// fieldGaps is empty, and stays so while every side is covered.
var fieldGaps []FieldGap

var fieldReports = []FieldReport{
	{Number: "001", Title: "An output limit cuts the arguments off inside a text", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/camel-ai/camel/issues/4338"},
		Limit:   limitActed},
	{Number: "002", Title: "One cut call ends the whole run", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/hud-evals/hud-python/pull/480"}},
	{Number: "004", Title: "Arguments that could not be read become an empty object, and nobody sees it", Sides: []Side{WorkerSide, HarnessSide},
		Sources: []string{"https://github.com/youssofal/MTPLX/pull/189"},
		Limit:   "what the tool itself was given lies inside the worker; what the engine read is told beside what was sent"},
	{Number: "005", Title: "An empty text where a tool takes no arguments", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/open-webui/open-webui/issues/23778"},
		Limit:   limitActed},
	{Number: "007", Title: "The word null in place of arguments", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/langchain-ai/langchain/pull/34242"},
		Limit:   limitActed},
	{Number: "008", Title: "Arguments that are JSON and no object", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/lsdefine/GenericAgent/pull/746"},
		Limit:   limitActed},
	{Number: "010", Title: "Two calls run together into one text", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/BerriAI/litellm/issues/40582"},
		Limit:   limitActed},
	{Number: "011", Title: "The same object twice in one text", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/simonw/llm/pull/1130"},
		Limit:   limitActed},
	{Number: "013", Title: "Control characters inside a text", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/prism-php/prism/pull/937"},
		Limit:   limitActed},
	{Number: "014", Title: "A backslash at the end of a line", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/NousResearch/hermes-agent/pull/55620"},
		Limit:   limitActed},
	{Number: "016", Title: "A repair that spoils quotes and backslashes that were right", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/wanxingai/LightAgent/pull/31"},
		Limit:   limitValue},
	{Number: "017", Title: "A literal of another language, cut at its comma", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/ml-explore/mlx-lm/issues/1785"},
		Limit:   limitActed},
	{Number: "019", Title: "A refusal that quotes the bad call teaches it to the model", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/openclaw/openclaw/issues/142304"}},
	{Number: "020", Title: "The same broken call again and again", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/HKUDS/nanobot/pull/5169"}},
	{Number: "022", Title: "What is allowed is not what is run", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/coder/coder/pull/28044"},
		Limit:   "what was allowed and what was run both lie inside the worker"},
	{Number: "023", Title: "JSON inside a text, where the schema says so by reference only", Sides: []Side{EngineSide},
		Sources: []string{"https://github.com/vllm-project/vllm/issues/46924"}},
	{Number: "025", Title: "The whole call repeated inside its arguments", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/ollama/ollama/pull/17486"},
		Limit:   limitActed},
	{Number: "026", Title: "Numbers and booleans sent as text", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/NousResearch/hermes-agent/pull/5265"},
		Limit:   limitValue},
	{Number: "028", Title: "A number where a text is declared", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/agentscope-ai/QwenPaw/pull/6936"},
		Limit:   limitValue},
	{Number: "029", Title: "null for a field that could be left out", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/ZenRows/zenrows-mcp/pull/23"},
		Limit:   limitValue},
	{Number: "031", Title: "Whole numbers that a float rounds", Sides: []Side{WorkerSide, EngineSide, HarnessSide},
		Sources: []string{"https://github.com/earendil-works/pi/issues/8943"},
		Limit:   limitValue},
	{Number: "032", Title: "A short number that fills the memory", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/agentscope-ai/agentscope/pull/2222"},
		Limit:   "memory is not measured from outside; that the call is answered in time is"},
	{Number: "034", Title: "A character written as two escapes falls apart", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/agent0ai/agent-zero/issues/1773"},
		Limit:   limitValue},
	{Number: "035", Title: "Half a character, alone", Sides: []Side{WorkerSide, HarnessSide},
		Sources: []string{"https://github.com/cyborg-garden/hermes-agent-mt/pull/76"},
		Limit:   "an engine's parser refuses such a text, so that it reaches a worker as malformed and never as valid"},
	{Number: "037", Title: "Two fields that differ in case only", Sides: []Side{WorkerSide},
		Sources: []string{"https://pkg.go.dev/encoding/json#Unmarshal"},
		Limit:   limitValue},
	{Number: "038", Title: "Nesting deeper than a parser survives", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/openai/openai-agents-python/issues/4772", "https://github.com/antirez/ds4/issues/43", "https://github.com/kekzl/imp/issues/1607"}},
	{Number: "040", Title: "A stream cut inside a character", Sides: []Side{WorkerSide, HarnessSide},
		Sources: []string{"https://github.com/kekzl/imp/issues/1554", "https://github.com/librefang/librefang/issues/3448"}},
	{Number: "041", Title: "A tool that nobody declared", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/aliasrobotics/cai/issues/405", "https://github.com/run-llama/llama_index/issues/7170"}},
	{Number: "043", Title: "A made-up tool is called for ever", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/earendil-works/pi/issues/5016"},
		Limit:   "to name the nearest tool is free, since the refusal of the engine, which may be handed back, names none"},
	{Number: "044", Title: "A call without a name", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/NousResearch/hermes-agent/pull/48109"}},
	{Number: "046", Title: "Markers of the model's own format in the name", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/pydantic/pydantic-ai/issues/7143", "https://github.com/earendil-works/pi/issues/4439"},
		Limit:   "to name the nearest tool is free, since the refusal of the engine, which may be handed back, names none"},
	{Number: "047", Title: "A name that means something to a machine", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/gptscript-ai/gptscript/pull/656"}},
	{Number: "049", Title: "A declared name that providers refuse", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/hostinger/api-mcp-server/issues/48", "https://github.com/openai/codex/issues/8174", "https://github.com/mrexodia/ida-pro-mcp/issues/129", "https://github.com/kolega-ai/kolega-code/issues/581"}},
	{Number: "050", Title: "An input schema that takes no object", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/anthropics/claude-code/issues/88049", "https://github.com/sandialabs/atlas-ui-3/issues/727"}},
	{Number: "052", Title: "Two tools of one name", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/openai/openai-agents-js/issues/1934", "https://github.com/SAP/cloud-sdk-python/issues/197"}},
	{Number: "053", Title: "A default that its own schema refuses", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/langchain-ai/langsmith-mcp-server/pull/69"}},
	{Number: "055", Title: "A bare object in place of a result", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/NousResearch/hermes-agent/issues/48244", "https://github.com/itechmeat/open-second-brain/issues/82"}},
	{Number: "056", Title: "A tool that returns nothing", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/microsoft/agent-framework/issues/4677"}},
	{Number: "058", Title: "A failure without a word", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15", "https://github.com/smallest-inc/smallest-python-sdk/pull/118"}},
	{Number: "059", Title: "A whole result inside a text block", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/modelcontextprotocol/docs/issues/198"}},
	{Number: "061", Title: "A value that cannot be written as JSON", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/microsoft/agent-framework/issues/2219", "https://github.com/theexperiencecompany/gaia/issues/917"},
		Limit:   limitTold},
	{Number: "062", Title: "A printed object in place of JSON", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/czlonkowski/n8n-mcp/issues/110"},
		Limit:   limitTold},
	{Number: "064", Title: "A number that is none becomes null", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/PrefectHQ/fastmcp/issues/5150"},
		Limit:   "seen only where the tool declares its output"},
	{Number: "065", Title: "A data URI in place of base64", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/nota/gyazo-mcp-server/pull/129"}},
	{Number: "067", Title: "A link in place of base64", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/agentscope-ai/agentscope-java/issues/3052"}},
	{Number: "068", Title: "base64 in another alphabet, or badly padded", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/modelcontextprotocol/inspector/issues/435", "https://github.com/LIghtJUNction/OniMods/issues/394", "https://github.com/MCPJam/inspector/pull/2923"}},
	{Number: "070", Title: "The reason of a failure is lost to the output schema", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/ArcadeAI/arcade-mcp/pull/817", "https://github.com/ignfab/geocontext/pull/185"},
		Limit:   "seen only where the tool declares its output; there the protocol holds a flagged result to the schema too"},
	{Number: "071", Title: "A structured result is dropped where no schema is declared", Sides: []Side{EngineSide},
		Sources: []string{"https://github.com/langgenius/dify/issues/39418"}},
	{Number: "073", Title: "A failure that looks like a success", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/intersystems-community/iris-agentic-dev/issues/95", "https://github.com/browser-use/browser-use/issues/5252", "https://github.com/glazperle/kimai_mcp/issues/18"},
		Limit:   limitTold},
	{Number: "074", Title: "A flagged failure that nobody looks at", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/zed-industries/zed/pull/47095", "https://github.com/bytedance/trae-agent/pull/429"},
		Limit:   "what a worker decides by the flag lies inside it; that it records the failure and goes on is judged"},
	{Number: "076", Title: "Stack traces, paths and secrets in the text of a failure", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/modelcontextprotocol/python-sdk/issues/2386", "https://github.com/brightdata/brightdata-mcp/pull/185", "https://github.com/anvia-hq/anvia/pull/435"},
		Limit:   "no canary can be planted in a stranger's tool; texts are searched for what looks like a trace, a path or a secret"},
	{Number: "077", Title: "One result of many megabytes", Sides: []Side{WorkerSide, HarnessSide},
		Sources: []string{"https://github.com/earendil-works/pi/issues/2122", "https://github.com/google-gemini/gemini-cli/issues/27738", "https://github.com/charmbracelet/crush/issues/3733"},
		Limit:   limitTold},
	{Number: "079", Title: "A block of a kind that does not exist, or without its content", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/ginlix-ai/LangAlpha/pull/402"}},
	{Number: "080", Title: "A call that is never answered", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/anthropics/claude-code/issues/1237", "https://github.com/anomalyco/opencode/issues/10616", "https://github.com/langchain-ai/langgraph/issues/5109"}},
	{Number: "082", Title: "Results paired with calls by their place", Sides: []Side{WorkerSide, EngineSide, HarnessSide},
		Sources: []string{"https://github.com/router-for-me/CLIProxyAPI/issues/5199", "https://github.com/JustVugg/colibri/pull/118", "https://github.com/modelscope/ms-swift/pull/10174"}},
	{Number: "083", Title: "An answer under an id that nobody asked about", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/smallest-inc/smallest-python-sdk/pull/118"}},
	{Number: "085", Title: "An id that comes again in a later turn", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/NousResearch/hermes-agent/issues/70724", "https://github.com/QwenLM/qwen-code/issues/8382"},
		Limit:   "an engine takes a call of a known id once, so that an id comes again in another session and not in a later turn"},
	{Number: "086", Title: "One failure throws the results beside it away", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/huggingface/smolagents/issues/2457", "https://github.com/openai/openai-agents-python/pull/2584"},
		Limit:   "how often a tool ran lies inside the worker; how often it was asked and what it answered is judged"},
	{Number: "088", Title: "Two sessions share a variable", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/modelcontextprotocol/typescript-sdk/issues/343", "https://github.com/xuzhougeng/wisp-science/issues/911", "https://github.com/lmn451/pi-subagentura/issues/66"}},
	{Number: "089", Title: "Ids made from the clock alone", Sides: []Side{EngineSide, HarnessSide},
		Sources: []string{"https://github.com/agnt-gg/agnt/pull/9"}},
	{Number: "091", Title: "A call that must not be repeated is repeated", Sides: []Side{WorkerSide, EngineSide},
		Sources: []string{"https://github.com/MervinPraison/PraisonAI/issues/4256"},
		Limit:   "whether an effect may have taken place lies inside the worker"},
	{Number: "092", Title: "A repeated call comes under a new id", Sides: []Side{HarnessSide},
		Sources: []string{"https://github.com/agno-agi/agno/issues/10366"}},
	{Number: "094", Title: "A tool that never ends holds up everything", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/mastra-ai/mastra/issues/18594", "https://github.com/mcheemaa/mistri/issues/3", "https://github.com/livekit/agents-js/issues/2428"},
		Limit:   limitTold},
	{Number: "095", Title: "A call that timed out goes on and takes effect", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/TulipFarm/tulipfarm/issues/181", "https://github.com/straff2002/OpenGlasses/pull/362"},
		Limit:   "whether cancelled work takes effect lies inside the worker; what it settles too late is judged"},
	{Number: "097", Title: "An exception becomes a status of 500", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/EvoScientist/EvoScientist/pull/11"},
		Limit:   limitTold},
	{Number: "098", Title: "An HTTP client sends a request twice without a word", Sides: []Side{HarnessSide},
		Sources: []string{"https://pkg.go.dev/net/http#Transport"}},
	{Number: "100", Title: "Half an answer kept as a whole one", Sides: []Side{HarnessSide},
		Sources: []string{"https://github.com/CopilotKit/aimock", "https://github.com/probelabs/goreplay/issues/1240"}},
	{Number: "101", Title: "A compressed body kept apart from its headers", Sides: []Side{HarnessSide},
		Sources: []string{"https://github.com/lmnr-ai/lmnr-python/pull/326", "https://github.com/wiremock/wiremock/issues/1989", "https://github.com/kevin1024/vcrpy/issues/661"}},
	{Number: "103", Title: "An answer with something around its JSON", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/kesslerio/attio-mcp-server/issues/195"}},
	{Number: "104", Title: "One delivery runs its tool twice", Sides: []Side{WorkerSide},
		Sources: []string{"https://github.com/AgentWorkforce/relay/pull/1814"},
		Limit:   "how often a tool ran lies inside the worker; that both deliveries are answered alike is judged"},
}
