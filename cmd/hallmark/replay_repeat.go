package main

// maxRepeat bounds how often recordings are played.
const maxRepeat = 1000

// checkRepeat refuses a number of times that makes no sense.
func checkRepeat(n int) error {
	if n < 1 || n > maxRepeat {
		return usage("--repeat %d: out of range", n).hinted("give a number from 1 to 1000")
	}
	return nil
}
