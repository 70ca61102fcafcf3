package simulator

import (
	"testing"

	. "github.com/onsi/gomega"
)

const calm = `
scenario: A berth is found
steps:
  - user: Find me a berth.
  - model: {calls: [{as: c1, tool: find_berth, arguments: {length: 12}}, {as: c2, tool: toll, raw: ""}]}
  - model: Berth 4.
`

func TestDriveACalmCase(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &scripted{}
	got := drive(t.Context(), input(planned(calm)[0]), w)
	for _, l := range got.story() {
		t.Log(l)
	}
	g.Expect(got.Why).To(Equal("script done"))
}
