package main

import (
	"bytes"
	"fmt"
	stdio "io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

func recordingCat(io streams) *cobra.Command {
	var response, head, raw bool
	cmd := &cobra.Command{
		Use:     "cat FILE SESSION/EXCHANGE",
		Aliases: []string{"body"},
		Short:   "Print the exact bytes of a request, or of its answer",
		Long: `Print the exact bytes of the body of one exchange, as they are in the recording.
On a terminal, what could steer it is written as escapes, unless --raw is given;
into a file or a pipe the bytes always go as they are. A body that is not whole
is said on standard error.`,
		Example: `  hallmark recording cat case.jsonl s1/d4 > request.json
  hallmark recording cat --response case.jsonl s1/d4`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			session, d, ok := strings.Cut(args[1], "/")
			if !ok {
				return usage("%q names no exchange", args[1]).hinted("write it as in the report: s1/d4")
			}
			x, err := findExchange(args[0], session, d)
			if err != nil {
				return err
			}
			text, lack := bodyOf(x, response)
			if head {
				text = append(headOf(x, response), text...)
			}
			if isTerminal(io.out) && !raw {
				text = []byte(reports.Clean(string(text)))
			}
			if _, err := io.out.Write(text); err != nil {
				return failedIO(err)
			}
			if lack != "" {
				fmt.Fprintf(io.err, "hallmark: %s: %s\n", args[1], reports.Clean(lack))
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&response, "response", false, "print the answer")
	fl.BoolVar(&response, "answer", false, "the same as --response")
	fl.BoolVar(&head, "head", false, "print the first line and the headers before the body")
	fl.BoolVar(&raw, "raw", false, "print the bytes as they are, on a terminal too")
	return cmd
}

// bodyOf is the body asked for, and what it lacks, "" when it is whole.
func bodyOf(x *spec.Exchange, response bool) (text []byte, lack string) {
	end, reason := x.Request.End, x.Request.Reason
	text = x.RequestBody
	if response {
		if x.Response == nil {
			return nil, "nothing is known of an answer"
		}
		end, reason, text = x.Response.End, x.Response.Reason, x.ResponseBody
	}
	switch {
	case x.Damage != "":
		return text, x.Damage
	case end == "" || end == spec.EndWhole:
		return text, ""
	}
	lack = "the body is not whole: " + string(end)
	if reason != "" {
		lack += ": " + reason
	}
	return text, lack
}

// headOf is the head of a message as it was, but for the spelling of its ends
// of lines.
func headOf(x *spec.Exchange, response bool) []byte {
	var b bytes.Buffer
	r, headers := x.Request, x.Request.Headers
	if response {
		if x.Response == nil {
			return nil
		}
		headers = x.Response.Headers
		fmt.Fprintf(&b, "%s %d\r\n", x.Response.Proto, x.Response.Status)
	} else {
		fmt.Fprintf(&b, "%s %s %s\r\n", r.Method, r.Target, r.Proto)
	}
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// findExchange reads a recording as far as the exchange named.
func findExchange(name, session, d string) (*spec.Exchange, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *spec.Exchange
	var fault error
	for x, err := range exchangesOf(f) {
		if err != nil {
			fault = err
		} else if x.Session == session && x.D == d {
			found = x
			break
		}
	}
	switch {
	case found != nil:
		return found, nil
	case fault != nil:
		return nil, readError(name, fault)
	}
	return nil, usage("%s holds no exchange %s/%s", name, session, d).hinted("hallmark recording show " + reports.Quote(name))
}

// exchangesOf gives the exchanges of a recording, and last the error at which
// reading ended, if there was one. A capture that is being written has none.
func exchangesOf(r stdio.Reader) func(yield func(*spec.Exchange, error) bool) {
	return func(yield func(*spec.Exchange, error) bool) {
		var fault error
		events := func(yield func(spec.Event) bool) {
			for e, err := range eventsOf(r, &fault) {
				if err != nil || !yield(e) {
					return
				}
			}
		}
		for x := range spec.Exchanges(events) {
			if !yield(x, nil) {
				return
			}
		}
		if fault != nil {
			yield(nil, fault)
		}
	}
}
