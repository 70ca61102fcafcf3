package reference

import (
	"cmp"
	"net/http"
	"slices"
)

// Fault is one named way in which the reference worker can be wrong. Each
// breaks exactly the requirements that it names, through any run of the
// corpus: nothing else turns red, though what it makes unreachable is not
// observed.
type Fault struct {
	// Name is readable and stable: "settles-twice".
	Name string
	// Text says what the worker then does, in one sentence.
	Text string
	// Breaks are the ids of the requirements that turn red, or that warn when
	// their level is should; sorted.
	Breaks []string
	// Hides are the ids of the requirements that can no longer be observed,
	// where the fault is a blunt one; sorted.
	Hides []string
	// Company says that the fault shows only while sessions run side by side.
	Company bool
	// Disturb is the disturbance under which it shows, "" where it needs none (R6).
	Disturb string
	// Seed is a seed with which a run comes to its moment, 0 where any does: some
	// faults show only in few orders of several sessions (R20).
	Seed uint64
	// Restart says that it shows only where the worker is restarted.
	Restart bool
	// Secret says that the fault shows only where the worker has a secret.
	Secret bool
	// Later says that the fault shows only where the worker has an engine to
	// settle at, since it spoils what is settled later.
	Later bool
	// Claims is what hallmark.yaml has to say of bad arguments for the fault to
	// be one, as in [spec.WorkerHeader]: by tool, or by [spec.AllTools]. Nil
	// where that does not matter. Only to be read.
	Claims map[string]string
}

// Faults returns every fault, sorted by name. The slice is the caller's own;
// the ids in it are shared and only to be read. Safe for concurrent use.
func Faults() []Fault {
	all := make([]Fault, len(defects))
	for i, d := range defects {
		all[i] = d.Fault
		all[i].Hides = hides[d.Name]
	}
	return all
}

// defect is a fault with what it does. Declare changes the tools once, when
// the worker is made; answer and deliver act on the exchanges that at picks.
type defect struct {
	Fault
	// declare returns the tools that are declared in place of the right ones.
	declare func([]tool) []tool
	// at picks the exchanges. It is kept as narrow as the corpus allows, so
	// that a fault does not hide what else would be seen.
	at moment
	// answer returns the body that goes out in place of x.answer.
	answer func(x *exchange) []byte
	// deliver writes the response in place of a plain 200. One of the two is
	// set wherever at is.
	deliver func(x *exchange, rw http.ResponseWriter, r *http.Request)
	// trusts checks a signature in place of the right check, and refuse turns a
	// request away in place of a 401 unless it returns false.
	trusts func(w *worker, s signed) bool
	refuse func(rw http.ResponseWriter, s signed) bool
	// stray answers what is no decision request, in place of the right refusal
	// with that status and text.
	stray func(w *worker, rw http.ResponseWriter, code int, text string)
	// ending picks the jobs, and settle returns what is sent to the engine in
	// place of the right settle of one. Both are set or none.
	ending func(*job) bool
	settle func(w *worker, j *job) []sending
	// loses picks the calls of the journal that a worker does not go on with when
	// it comes up again.
	loses func(entry) bool
}

// defects is the table, sorted by name.
var defects = table()

func table() []defect {
	all := slices.Concat(
		deliveryDefects(), bodyDefects(), decisionDefects(), startDefects(), declareDefects(),
		executeDefects(), policyDefects(), resultDefects(), finishedDefects(), callsDefects(), retryDefects(),
		agentDefects(), modelDefects(), streamDefects(), clientDefects(), stateDefects(), crudeDefects(), restartDefects(), adviceDefects(), signatureDefects(),
		dialectDefects(), laterDefects(), interruptDefects(), subagentDefects(), deferredDefects(), failDefects(), robustnessDefects(),
	)
	for i := range all {
		all[i].Secret = all[i].trusts != nil || all[i].refuse != nil
	}
	slices.SortFunc(all, func(a, b defect) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func lookup(name string) (defect, bool) {
	i, ok := slices.BinarySearchFunc(defects, name, func(d defect, name string) int { return cmp.Compare(d.Name, name) })
	if !ok {
		return defect{}, false
	}
	return defects[i], true
}

// named is the part of a fault that is printed.
func named(name, text string, breaks ...string) Fault {
	return Fault{Name: name, Text: text, Breaks: breaks}
}
