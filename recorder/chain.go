package recorder

import (
	"bytes"
	"hash/crc32"
)

// chainStart is the checksum text before the first line (rule 3).
const chainStart = "00000000"

const (
	crcKey    = `,"crc":"`
	crcDigits = 8
	crcTail   = len(crcKey) + crcDigits + len(`"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lineSum is the checksum of a line whose bytes before the crc member are
// body, after a line whose checksum text is prev.
func lineSum(prev string, body []byte) string {
	sum := crc32.Update(0, castagnoli, []byte(prev))
	sum = crc32.Update(sum, castagnoli, body)
	const hex = "0123456789abcdef"
	var out [crcDigits]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = hex[sum&15]
		sum >>= 4
	}
	return string(out[:])
}

// seal appends the crc member and a line feed to the object line, in place if
// there is room, and returns it with the checksum text.
func seal(line []byte, prev string) ([]byte, string) {
	body := line[:len(line)-1]
	sum := lineSum(prev, body)
	body = append(body, crcKey...)
	body = append(body, sum...)
	return append(body, "\"}\n"...), sum
}

// unseal splits a line without its line feed into the bytes that its checksum
// covers and the checksum's text.
func unseal(line []byte) (body []byte, sum string, ok bool) {
	at := len(line) - crcTail
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(crcKey)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return nil, "", false
	}
	return line[:at], string(line[at+len(crcKey) : len(line)-2]), true
}
