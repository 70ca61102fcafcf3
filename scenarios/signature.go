package scenarios

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// Signature says how the requests of a case are signed (D10). Without On every
// delivery of the case is signed so, session.start the first; a worker that
// refuses it as it should then ends the case.
type Signature struct {
	Pos
	// Is is one of [spec.SignatureKinds]; empty means valid.
	Is string
	// On is the one trigger whose deliveries are signed so; empty means all.
	On string
	// Ahead sends a copy that is signed so before each of those deliveries,
	// which then goes out with the right signature. The engine never hears of
	// the copy, so the session runs to its end.
	Ahead bool
}

// Broken reports whether any request is signed in another way than an engine
// signs it. Such traffic is marked so in the recording.
func (s Signature) Broken() bool { return s.Is != "" && s.Is != spec.SignatureValid }

// Broken reports whether the requests of a case differ on purpose from what an
// engine sends. They are marked so in the recording.
func (e Engine) Broken() bool { return e.Signature.Broken() || e.Adds != "" }

// Sends reports whether c sends requests outside the protocol.
func (c Case) Sends() bool {
	return slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Send != nil })
}

// Of returns how the deliveries of a trigger are signed, [spec.SignatureValid]
// for those that the scenario does not speak of.
func (s Signature) Of(trigger spec.TriggerType) string {
	if !s.Broken() || s.On != "" && s.On != string(trigger) {
		return spec.SignatureValid
	}
	return s.Is
}

// FeatureSecret is the feature of a run that has a secret to sign with. No
// worker has it by saying so.
const FeatureSecret = "secret"

// unsigned is the reason why a case that is about signatures does not apply,
// "" when it does.
func (p *planner) unsigned(s Signature) string {
	if !s.Broken() || slices.Contains(p.options.Features, FeatureSecret) {
		return ""
	}
	return missingSecret
}

const missingSecret = "needs a secret that requests are signed with: name the variable that holds it by --secret-env, or secret_env in hallmark.yaml"

// signature reads a kind of signature, or an object that says more.
func (d *decoder) signature(n *node) Signature {
	n = d.value(n)
	s := Signature{Pos: n.pos}
	kind := func(n *node) { s.Is = d.word(n, "a signature", spec.SignatureKinds()...) }
	if n.kind != kindObject {
		kind(n)
		return s
	}
	_, has := d.object(n, "a signature",
		field{"is", kind},
		field{"on", func(n *node) { s.On = d.trigger(n) }},
		field{"ahead", func(n *node) { s.Ahead = d.flag(n) }},
	)
	if has != nil && !has["is"] {
		d.problem(n.pos, "add is: forged, for instance", "the signature has no kind")
	}
	return s
}
