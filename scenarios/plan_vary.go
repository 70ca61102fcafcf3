package scenarios

import (
	"fmt"
	"slices"
	"strconv"
)

// choice is one value of one name of vary.
type choice struct {
	name, label string
	value       *node
}

// varied is what varies with the tools of one run: the product of the values.
type varied struct {
	bound   []Binding
	choices [][]choice
	// made is what values were made from.
	made []madeFrom
	// missing is the reason why there are no values.
	missing string
}

// vary is the product of everything that varies, in the order written, for the
// tools of one run.
func (x *expander) vary(bound []Binding) (varied, Problems) {
	v := varied{bound: bound, choices: [][]choice{nil}}
	vary := x.doc.root.member("vary")
	if vary == nil {
		return v, nil
	}
	for i, key := range vary.keys {
		var values []choice
		if n := vary.items[i]; n.kind == kindObject {
			made, from, missing, problems := x.generated(key.name, n, bound)
			if len(problems) > 0 {
				return v, problems
			}
			if missing != "" {
				v.missing = missing
				return v, nil
			}
			values, v.made = made, append(v.made, from...)
		} else {
			for j, value := range n.items {
				values = append(values, choice{key.name, key.name + "=" + shortLabel(n.items, j), value})
			}
		}
		var next [][]choice
		for _, before := range v.choices {
			for _, one := range values {
				next = append(next, append(slices.Clone(before), one))
				if len(next) > maxCases {
					return v, x.tooMany()
				}
			}
		}
		v.choices = next
	}
	return v, nil
}

func (x *expander) tooMany() Problems {
	return Problems{{Pos: x.doc.Pos, Message: fmt.Sprintf("the scenario expands to more than %d cases", maxCases),
		Hint: "vary less, or split the scenario"}}
}

// shortLabel is the value itself where it is short and unlike the others, else
// its number.
func shortLabel(values []*node, i int) string {
	const longest = 24
	value := values[i]
	if value.kind == kindList || value.kind == kindObject || value.text == "" || len(value.text) > longest {
		return "#" + strconv.Itoa(i+1)
	}
	for j, other := range values {
		if j != i && other.text == value.text {
			return "#" + strconv.Itoa(i+1)
		}
	}
	return printable(value.text)
}
