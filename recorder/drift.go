package recorder

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// drift is where bodies differed, over all that were compared, and which lists
// they hold. It names the narrowest rules for that.
type drift struct {
	// spots are the places that differed, by their pointers.
	spots map[string]spot
	// lists are the lists of the bodies, with the most elements that each had.
	lists map[string]int
	// full says that there were more places than are held, so that nothing
	// follows from one that is not among them.
	full bool
	// sorted are the pointers of spots, nil when one has come since.
	sorted []string
}

// spot is one place that differed.
type spot struct {
	// list is the outermost list around it that changed as a list: in its length
	// or its order. inList says that there was one.
	list   string
	inList bool
}

// Bounds on what is held of bodies.
const (
	maxSpots = 10_000
	maxLists = 100_000
)

// shape notes the lists in a body.
func (d *drift) shape(v jsontext.Value) {
	if d.lists == nil {
		d.lists = map[string]int{}
	}
	d.shapeAt("", v)
}

func (d *drift) shapeAt(at string, v jsontext.Value) {
	n := 0
	eachBelow(v, func(key string, next jsontext.Value) {
		n++
		if k := jsonv.Kind(next); k == '{' || k == '[' {
			d.shapeAt(at+"/"+key, next)
		}
	})
	if _, known := d.lists[at]; jsonv.Kind(v) == '[' && (known || len(d.lists) < maxLists) {
		d.lists[at] = max(d.lists[at], n)
	}
}

// add notes a place that differs.
func (d *drift) add(p jsonv.Place) {
	list, inList := "", len(p.Lists) > 0
	if inList {
		list = p.Lists[0].Pointer
	}
	d.spot(p.Pointer, list, inList)
}

func (d *drift) spot(pointer, list string, inList bool) {
	s, known := d.spots[pointer]
	if !known && len(d.spots) == maxSpots {
		d.full = true
		return
	}
	if inList && (!s.inList || len(list) < len(s.list)) {
		s = spot{list: list, inList: true}
	}
	if d.spots == nil {
		d.spots = map[string]spot{}
	}
	if d.spots[pointer] = s; !known {
		d.sorted = nil
	}
}

// at are the places at or below a pointer that differed.
func (d *drift) at(pointer string) []string {
	if d.sorted == nil {
		d.sorted = slices.Sorted(maps.Keys(d.spots))
	}
	var out []string
	if _, ok := d.spots[pointer]; ok {
		out = append(out, pointer)
	}
	below := pointer + "/"
	i, _ := slices.BinarySearch(d.sorted, below)
	for ; i < len(d.sorted) && strings.HasPrefix(d.sorted[i], below); i++ {
		out = append(out, d.sorted[i])
	}
	return out
}

// within reports whether a pointer is below a list that changed as a list.
func (d *drift) within(pointer string, lists map[string]bool) bool {
	for i := len(pointer) - 1; i > 0; i-- {
		if pointer[i] == '/' && lists[pointer[:i]] {
			return true
		}
	}
	return lists[""] && pointer != ""
}

// tooWide says what a rule covers that does not differ, "" for nothing, and the
// rules that do not.
func (d *drift) tooWide(t *tracked) (reason string, instead []string) {
	changed := map[string]bool{}
	for _, s := range d.spots {
		if s.inList {
			changed[s.list] = true
		}
	}
	var steady, wide, narrow []string
	for _, place := range slices.Sorted(maps.Keys(t.there)) {
		below := d.at(place)
		if len(below) == 0 {
			if !d.within(place, changed) {
				steady = append(steady, place)
			}
			continue
		}
		exact := slices.ContainsFunc(below, func(p string) bool {
			return p == place || d.spots[p].inList && len(d.spots[p].list) <= len(place)
		})
		if exact || d.everyElement(place) {
			narrow = append(narrow, place)
			continue
		}
		wide = append(wide, place)
		for _, p := range below {
			narrow = append(narrow, d.narrow(p))
		}
	}
	instead = d.rules(narrow)
	switch {
	case len(wide) > 0:
		reason = "covers more than what differs, which is " + listed(instead)
	case len(steady) > 0:
		reason = "covers " + listed(steady) + ", where nothing differs"
	default:
		return "", nil
	}
	return reason, instead
}

// everyElement reports whether a place is a list of which each element differed
// as a whole.
func (d *drift) everyElement(place string) bool {
	n := d.lists[place]
	for i := range n {
		if _, ok := d.spots[place+"/"+strconv.Itoa(i)]; !ok {
			return false
		}
	}
	return n > 0
}

// narrow is the narrowest place to let differ where p does: p, or the list that
// changed around it.
func (d *drift) narrow(p string) string {
	if s := d.spots[p]; s.inList {
		return s.list
	}
	return p
}

// rules are the rules for some places and for nothing else: an index becomes `*`
// only where each element of the list is among them.
func (d *drift) rules(places []string) []string {
	slices.Sort(places)
	places = slices.Compact(places)
	in := make(map[string]bool, len(places))
	for _, p := range places {
		in[p] = true
	}
	places = slices.DeleteFunc(places, func(p string) bool { return d.within(p, in) })
	split := make([][]string, len(places))
	deepest := 0
	for i, p := range places {
		split[i] = strings.Split(p, "/")[1:]
		deepest = max(deepest, len(split[i]))
	}
	// From the deepest segment up, so that what stands before it is still one
	// list and not several.
	for depth := deepest - 1; depth >= 0; depth-- {
		split = d.starred(split, depth)
	}
	out := make([]string, len(split))
	for i, s := range split {
		out[i] = "/" + strings.Join(s, "/")
	}
	slices.Sort(out)
	return out
}

// starred puts those that differ in one index only, and of which the list has no
// more, into one.
func (d *drift) starred(list [][]string, depth int) [][]string {
	type form struct {
		before, after string
		segments      int
	}
	members := map[form]map[int]bool{}
	formOf := func(s []string) (form, int, bool) {
		if len(s) <= depth {
			return form{}, 0, false
		}
		n, err := strconv.Atoi(s[depth])
		if err != nil || strconv.Itoa(n) != s[depth] {
			return form{}, 0, false
		}
		before := ""
		if depth > 0 {
			before = "/" + strings.Join(s[:depth], "/")
		}
		return form{before, strings.Join(s[depth+1:], "/"), len(s)}, n, n >= 0 && n < d.lists[before]
	}
	for _, s := range list {
		if f, n, ok := formOf(s); ok {
			if members[f] == nil {
				members[f] = map[int]bool{}
			}
			members[f][n] = true
		}
	}
	var out [][]string
	done := map[form]bool{}
	for _, s := range list {
		f, _, ok := formOf(s)
		if !ok || len(members[f]) < 2 || len(members[f]) < d.lists[f.before] {
			out = append(out, s)
			continue
		}
		if !done[f] {
			done[f] = true
			s = slices.Clone(s)
			s[depth] = "*"
			out = append(out, s)
		}
	}
	return out
}
