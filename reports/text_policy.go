package reports

import "slices"

// policies tells, in one line a class, what tools were seen to do with bad
// arguments. All of it is legal, so it is told and not weighed.
func (t *text) policies(tools []Tool) {
	classes := []struct {
		name string
		of   func(Tool) string
	}{
		{"invalid", func(tool Tool) string { return tool.Invalid }},
		{"malformed", func(tool Tool) string { return tool.Malformed }},
	}
	for _, class := range classes {
		var words []string
		names := map[string][]string{}
		for _, tool := range tools {
			word := class.of(tool)
			if word == "" {
				continue
			}
			if names[word] == nil {
				words = append(words, word)
			}
			names[word] = append(names[word], toolName(tool.Name))
		}
		if len(words) == 0 {
			continue
		}
		slices.Sort(words)
		for _, word := range words {
			who := names[word]
			if len(words) == 1 && len(who) > 1 {
				who = []string{"every tool tried"}
			}
			who = append([]string{class.name + " arguments " + policyWords[word] + " " + who[0]}, who[1:]...)
			t.list("         ", "         ", who)
		}
	}
}

// policyWords say what was done with bad arguments, before who did it.
var policyWords = map[string]string{
	"refuse": "are refused by", "repair": "are repaired by", "run": "are run by", "unknown": "tell nothing of",
}
