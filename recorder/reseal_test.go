package recorder_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

// reseal changes one line of a recording and gives it, and the lines after it,
// checksums that fit, without the help of the package under test. A nil file is
// the example.
func reseal(file []byte, line int, change func(spec.Event)) []byte {
	if file == nil {
		file = example()
	}
	all := lines(file)
	e, err := spec.UnmarshalEvent(bytes.TrimSpace(all[line-1]))
	if err != nil {
		panic(err)
	}
	change(e)
	text, err := spec.MarshalEvent(e)
	if err != nil {
		panic(err)
	}
	all[line-1] = text
	return chained(all)
}

// chained gives each line the checksum that fits.
func chained(all [][]byte) []byte {
	prev := "00000000"
	var out bytes.Buffer
	for _, l := range all {
		l = bytes.TrimSuffix(bytes.TrimSpace(l), []byte("}"))
		if at := bytes.LastIndex(l, []byte(`,"crc":"`)); at >= 0 {
			l = l[:at]
		}
		prev = fmt.Sprintf("%08x", crc32.Checksum(append([]byte(prev), l...), crc32.MakeTable(crc32.Castagnoli)))
		fmt.Fprintf(&out, "%s,\"crc\":\"%s\"}\n", l, prev)
	}
	return out.Bytes()
}

func TestChainedIsTheRule(t *testing.T) {
	t.Parallel()
	file := example()
	if got := chained(lines(file)); !bytes.Equal(got, file) {
		t.Error("the example does not follow rule 3 as the tests read it")
	}
}
