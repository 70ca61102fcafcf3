package retell

import (
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// teller goes through the exchanges of one session, and of the subagents below
// it, and keeps what a scenario says of them.
type teller struct {
	chosen   Session
	digest   string
	sessions map[string]*told
	steps    []*step
	// byChild are the calls that subagents work for, by the ids of their sessions.
	byChild map[string]string
	// texts are the answers to equal calls: where they differ, nothing is pinned.
	texts map[string]string
	// same says of calls that equal ones were answered by the same text.
	same   map[string]bool
	works  map[string]*scenarios.Tree
	labels int
	msgs   int
	broken []broke
	left   []string

	engine  engineSeen
	before  before
	started time.Time
	hosted  string
	async   bool
}

// engineSeen is how the engine was seen to do what engines do in several ways.
type engineSeen struct {
	agentID  string
	identity *spec.Identity
	start    *scenarios.Tree
	dialect  map[string]string
	first    bool
	tries    int
	// runTimeout is how long an attempt of a call may take, in seconds.
	runTimeout int
	// attempts is what deliveries are counted from.
	attempts uint32
}

// before is what a session that was joined in the middle had by then.
type before struct {
	messages []*scenarios.Tree
	state    jsontext.Value
}

// told is one session as far as it was told.
type told struct {
	alias, id, parent string
	root              bool
	// turn is the turn that runs, or ran last.
	turn      string
	ended     bool
	agent     *spec.AgentConfig
	calls     map[string]*call
	order     []*call
	decisions map[string]*decision
	last      *step
	// owners are the steps and given messages by the ids of their messages: a view
	// names messages by ids, which are then given to them.
	owners map[string]*scenarios.Tree
	hosts  map[string]bool
	begun  bool
	// opened says that something beside session.start was seen, startState is the
	// state that its answer set.
	opened bool
	// midTurn says that the recording begins in the middle of a turn.
	midTurn    bool
	startState jsontext.Value
	startAgent *spec.AgentConfig
	// unnamed are messages of which only the engine knows the id, until a request
	// tells it: where they stand on the path, and who made them.
	unnamed map[int]*scenarios.Tree
	// resolved are interrupts that the worker resolved itself.
	resolved []string
}

// call is one call of a tool or a subagent.
type call struct {
	label, tool, raw string
	handler          spec.Handler
	tries            int
	// pending says that the worker let go of the call without settling it.
	pending bool
	// deadline is when the attempt that runs is over.
	deadline *spec.Timestamp
	finished bool
	ok       bool
	// early says that it was made before the recording begins: how often it was
	// tried and what was answered then is not known.
	early  bool
	places []string
}

// decision is one decision that was delivered.
type decision struct {
	// trigger and call are what it is about, each time that it comes.
	trigger spec.TriggerType
	call    string
	// answered says that the last delivery was answered, taken that one was.
	answered, taken bool
	// step is the step in whose window it was delivered, lost the disturbance that
	// loses something of it.
	step    *step
	lost    *step
	expects []*expect
}

// step is one step of the scenario.
type step struct {
	verb    string
	value   *scenarios.Tree
	session *told
	comment string
	expects []*expect
}

// expect is what is expected of one exchange.
type expect struct {
	// check is the item so far, answer what is expected of the answer; nil for
	// nothing.
	check  *scenarios.Tree
	answer *scenarios.Tree
	// place names the exchange, as findings do.
	place string
	call  *call
	try   int
	// again says that the decision was delivered more than once.
	again bool
	// pinnable is the text of the result, textKey the call that gave it: equal
	// calls with other texts pin none.
	pinnable string
	textKey  string
}

func newTeller(chosen Session) *teller {
	return &teller{
		chosen: chosen, sessions: map[string]*told{}, byChild: map[string]string{}, texts: map[string]string{}, same: map[string]bool{}, works: map[string]*scenarios.Tree{},
		engine: engineSeen{dialect: map[string]string{}},
	}
}

// event takes what stands outside of exchanges.
func (t *teller) event(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		t.started, _ = time.Parse(time.RFC3339Nano, d.Started)
	case *spec.SessionEvent:
		s := t.session(e.Session)
		s.id, s.parent = d.SessionID, d.Parent
	case *spec.RequestEvent:
		t.session(e.Session)
	case *spec.GapEvent:
		t.leave("the recording has a gap: " + d.Reason)
	case *spec.CloseEvent:
		t.digest = d.SHA256
	}
}

func (t *teller) session(alias string) *told {
	s := t.sessions[alias]
	if s == nil {
		s = &told{
			alias: alias, root: alias == t.chosen.Alias, calls: map[string]*call{}, decisions: map[string]*decision{},
			owners: map[string]*scenarios.Tree{}, hosts: map[string]bool{}, unnamed: map[int]*scenarios.Tree{},
		}
		t.sessions[alias] = s
	}
	return s
}

// mostAncestors bounds how far down a subagent is looked for: a recording may say
// that sessions are below each other.
const mostAncestors = 100

// mine reports whether a session is the one that is told, or one below it.
func (t *teller) mine(alias string) bool {
	for range mostAncestors {
		s := t.sessions[alias]
		if s == nil {
			return false
		}
		if s.root {
			return true
		}
		alias = s.parent
	}
	return false
}

// maxLeft bounds what is told of what is not told.
const maxLeft = 20

// leave notes what no scenario can say.
func (t *teller) leave(text string) {
	if len(t.left) < maxLeft && !slices.Contains(t.left, text) {
		t.left = append(t.left, text)
	}
}

// exchange tells one exchange.
func (t *teller) exchange(x *spec.Exchange) {
	s := t.sessions[x.Session]
	if s == nil || !t.mine(x.Session) {
		return
	}
	if x.Request.Broken != "" || x.Request.IsRaw() {
		t.leave("requests that were spoiled on purpose, or are none of the protocol")
		return
	}
	if !x.IsDelivery() {
		return
	}
	asked, fault := x.Asked()
	if fault != nil {
		t.leave("the request of " + x.Session + "/" + x.D + ", which does not read: " + fault.Error())
		return
	}
	decided, failure := x.Decided()
	if earlier := s.decisions[asked.DecisionID]; earlier != nil {
		if earlier.trigger != asked.Trigger.TriggerType() || earlier.call != asked.Trigger.CallID() {
			t.leave("decisions that came again as other ones: no engine does that")
			return
		}
		t.again(s, asked, earlier)
		if failure == nil && !earlier.taken {
			t.answer(s, x, asked, decided, earlier)
			for _, e := range earlier.expects {
				e.again = true
			}
		}
		earlier.answered, earlier.taken = failure == nil, earlier.taken || failure == nil
		return
	}
	d := &decision{trigger: asked.Trigger.TriggerType(), call: asked.Trigger.CallID(), answered: failure == nil, taken: failure == nil}
	s.decisions[asked.DecisionID] = d
	t.learn(s, x, asked)
	t.had(s, asked)
	t.trigger(s, x, asked)
	d.step = s.last
	t.lostBefore(s, asked, d)
	if failure == nil {
		t.answer(s, x, asked, decided, d)
	}
}

// learn takes from a request what every request tells.
func (t *teller) learn(s *told, x *spec.Exchange, asked *spec.DecisionRequest) {
	if !s.begun {
		s.begun = true
		if s.root {
			t.opening(s, x, asked)
		}
	}
	if asked.Agent != nil {
		s.agent = asked.Agent
	}
	for _, at := range slices.Sorted(maps.Keys(s.unnamed)) {
		if at < len(asked.Messages) {
			s.owners[asked.Messages[at].ID] = s.unnamed[at]
			delete(s.unnamed, at)
		}
	}
	for _, c := range asked.Calls {
		if c.Kind == spec.CallSubagent && c.SessionID != "" {
			t.byChild[c.SessionID] = c.ID
		}
	}
}

// opening takes from the first request of the session how the engine is set.
func (t *teller) opening(s *told, x *spec.Exchange, asked *spec.DecisionRequest) {
	if asked.AgentID != "agent" {
		t.engine.agentID = asked.AgentID
	}
	if asked.Identity.ID != "" || asked.Identity.Visibility == "" {
		t.engine.dialect["identity"] = spec.IdentityOlder
		t.engine.identity = &spec.Identity{Visibility: "shared", Metadata: asked.Identity.Metadata}
		if asked.Identity.ID != "" {
			t.engine.identity.Subject = &spec.Subject{Issuer: "unknown", ID: asked.Identity.ID}
		}
	} else {
		t.engine.identity = &asked.Identity
	}
	if _, full := jsonv.Get(x.RequestBody, "/proposed/messages"); !full {
		t.engine.dialect["empty_proposed"] = "short"
	}
	t.engine.attempts = asked.Attempts
	if asked.Attempts > 1 {
		t.engine.attempts = 0
	}
	if asked.Trigger.TriggerType() == spec.OnSessionStart {
		t.starts(x, asked)
		return
	}
	s.opened = true
	t.join(s, asked)
}

// hallmarkModel is the model of the config that Hallmark's own engine proposes.
const hallmarkModel = "hallmark-simulated"

// starts tells how session.start proposed an agent.
func (t *teller) starts(x *spec.Exchange, asked *spec.DecisionRequest) {
	switch agent := asked.Proposed.Agent; {
	case agent == nil:
		t.engine.start = scenarios.TextTree("bare")
	case agent.Model != hallmarkModel:
		v, _ := jsonv.Get(x.RequestBody, "/proposed/agent")
		if start, ok := scenarios.ValueTree(v); ok {
			t.engine.start = start
		}
	}
}

// again tells that a decision was delivered again: after an answer that read well,
// that answer was lost on its way.
func (t *teller) again(s *told, asked *spec.DecisionRequest, earlier *decision) {
	for _, e := range earlier.expects {
		e.again = true
	}
	if earlier.answered {
		t.disturb(s, asked, earlier, "lose-answer")
	}
}

// lostBefore tells of deliveries that never came: the first that did is counted
// as a later one.
func (t *teller) lostBefore(s *told, asked *spec.DecisionRequest, d *decision) {
	for n := t.engine.attempts; n < asked.Attempts && n < 10; n++ {
		t.disturb(s, asked, d, "lose-request")
	}
}

// disturb adds a disturbance of a decision, ahead of the step that leads to it.
func (t *teller) disturb(s *told, asked *spec.DecisionRequest, d *decision, do string) {
	if d.lost != nil && d.lost.value.Member("do").Text == do {
		n := d.lost.value.Member("times")
		if n == nil {
			d.lost.value.Add("times", scenarios.WordTree("2"))
			return
		}
		n.Text = next(n.Text)
		return
	}
	value := scenarios.ObjectTree().Add("do", scenarios.TextTree(do)).
		Add("trigger", scenarios.TextTree(string(asked.Trigger.TriggerType())))
	if c := s.calls[asked.Trigger.CallID()]; c != nil && c.label != "" {
		value.Add("call", scenarios.TextTree(c.label))
		if asked.Trigger.TriggerType() == spec.OnToolExecute && t.engine.tries > 1 {
			value.Add("try", number(c.tries))
		}
	}
	d.lost = &step{verb: "disturb", value: value, session: s}
	at := max(slices.Index(t.steps, d.step), 0)
	if d.step == nil {
		at = 0
	}
	t.steps = slices.Insert(t.steps, at, d.lost)
}

// sentAt is when a request went out, by the clock of whoever recorded it.
func (t *teller) sentAt(x *spec.Exchange) time.Time {
	if now, err := time.Parse(time.RFC3339Nano, x.Request.Now); err == nil {
		return now
	}
	return t.started.Add(time.Duration(x.W) * time.Microsecond)
}

// add puts a step behind the others.
func (t *teller) add(s *told, verb string, value *scenarios.Tree) *step {
	st := &step{verb: verb, value: value, session: s}
	if standIn(value) {
		st.comment = "A value was taken out of the recording here: what stands in its place begins with " + spec.StandInPrefix + "."
	}
	t.steps = append(t.steps, st)
	s.last = st
	return st
}
