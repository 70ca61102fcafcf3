// Package renew puts other ids and later deadlines into what was recorded,
// without decoding and encoding it again (R8).
//
// Ids are learned from the places where the protocol has them. A replacement
// then applies to a whole JSON string that is equal to one, wherever it stands
// and be it the name of a member, since a worker may keep its state by call. It
// never applies to a part of a string: an id inside a text, such as the
// arguments that a model wrote, stays. Every other byte is what it was.
//
// New ids have the length of the old ones and their kinds of characters, and
// are H of a seed and the old id alone. What is no place for a new id is told:
// a short id such as call_0 that stands where anybody may have written it, and
// an id that is also a word of the protocol and therefore stays.
//
// Deadlines are shifted at the places of R1 only, in the spelling that they had.
package renew
