package handbook

// besideScenarios says of each requirement that no scenario names what brings
// it about.
var besideScenarios = map[string]string{
	"start.works-in-either-form": "discovery, which opens a session in each form ahead of every scenario",
	"retry.answers-alike":        "the scenarios under retry/ in which a decision comes again, where the worker settles it both times",
	"execute.keeps-its-policy":   "every scenario with bad arguments, once bad_arguments in hallmark.yaml declares a policy",
	"sessions.do-not-share":      "the scenarios under sessions/, and any case that fails beside others and then holds alone",

	"disturbed.ends-the-same":      "any case that --disturb runs once more in trouble, between two calm runs",
	"disturbed.reads-the-same":     "any case that --disturb runs once more in trouble, between two calm runs",
	"model.finish-reason-fits":     "the scenarios under hosted/, where the model says why it stopped",
	"model.usage-adds-up":          "the scenarios under hosted/, where the model says how many tokens it took",
	"model.error-has-text":         "hosted/no-such-model.yaml, where the worker has no such model",
	"stream.deltas-fit-the-format": "stream/hosted.yaml, where the worker speaks a provider's form",

	"deferred.leaves-the-pair-to-the-engine": everyStart,
	"turn.fails-in-words":                    "dialect/failed-call.yaml and turn/goes-on-after-a-failure.yaml, where the engine proposes to end a turn by fail",

	"advice.tools-are-described":                 everyStart,
	"advice.parameters-are-described":            everyStart,
	"advice.formats-are-said":                    everyStart,
	"advice.tools-can-be-told-apart":             everyStart,
	"advice.many-tools-are-deferred":             everyStart,
	"advice.error-text-without-stack-trace":      everyFailure,
	"advice.error-text-without-paths":            everyFailure,
	"advice.error-text-without-secrets":          everyFailure,
	"advice.error-text-is-short":                 everyFailure,
	"advice.error-text-says-what-happened":       everyFailure,
	"advice.error-text-does-not-repeat-the-call": "every scenario in which a call is refused for its arguments, where these are long enough to be copied",
	"advice.failure-is-not-a-success":            everyResult,
	"advice.results-have-words":                  everyResult,
	"advice.results-are-printed-values":          everyResult,
	"advice.results-fit-a-conversation":          everyResult,
	"advice.keep-alive-outlives-idle":            "every answer that says how long its connection is kept, and any connection that closes early",
}

// Advice looks at what is there in any scenario.
const (
	everyStart   = "every scenario, since a worker declares its tools when a session starts"
	everyFailure = "every scenario in which a call fails in words of the worker's own"
	everyResult  = "every scenario in which a call is answered"
)
