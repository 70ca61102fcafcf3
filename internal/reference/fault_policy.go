package reference

import "github.com/hallmarkdev/hallmark/spec"

// policyDefects break what the worker says that it does with bad arguments.
// The right worker refuses them all, which is legal and so is the contrary:
// each of these is wrong by what it claims (E8).
func policyDefects() []defect {
	const keeps = "execute.keeps-its-policy"
	claiming := func(f Fault, policy string) Fault {
		f.Claims = map[string]string{spec.AllTools: policy}
		return f
	}
	return []defect{
		{
			Fault: claiming(named("claims-to-run", "Claims to run tools on arguments that break the schema, and refuses them.", keeps), spec.ArgumentsRun),
		},
		{
			Fault: claiming(named("claims-to-repair", "Claims to repair arguments with words or a fence around them, and refuses them.", keeps), spec.ArgumentsRepaired),
		},
		{
			Fault:  claiming(named("runs-what-it-refuses", "Claims to refuse bad arguments, and books a kiln whatever they are.", keeps), spec.ArgumentsRefused),
			at:     badly(spec.InputInvalid, func(a *asked) bool { return a.text("name") == "book_kiln" }),
			answer: resultOf(`{"content":[{"type":"text","text":"Booked."}]}`),
		},
	}
}
