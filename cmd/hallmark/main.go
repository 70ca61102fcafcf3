// Command hallmark certifies tool-call workers: it plays the agent engine and
// the model, drives a worker through scenarios over HTTP, records every
// exchange, and judges the recordings.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
