package logged

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// The endings of the names of a pair.
const (
	RequestSuffix  = ".request.json"
	ResponseSuffix = ".response.json"
)

// maxBody bounds a body that is read from a file.
const maxBody = 64 << 20

// Pairs reads the pairs of files in a folder, in the order of their names:
// NAME.request.json and NAME.response.json hold the exact bodies. A request
// without a response is one whose answer nobody kept; a response without a
// request is an error.
func Pairs(folder string) iter.Seq2[Exchange, error] {
	return func(yield func(Exchange, error) bool) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			yield(Exchange{}, &Error{File: folder, Err: err})
			return
		}
		var names []string
		seen := map[string]bool{}
		for _, e := range entries {
			base, ok := strings.CutSuffix(e.Name(), RequestSuffix)
			if !ok {
				base, ok = strings.CutSuffix(e.Name(), ResponseSuffix)
			}
			if ok && !seen[base] {
				seen[base] = true
				names = append(names, base)
			}
		}
		if len(names) == 0 {
			yield(Exchange{}, &Error{File: folder, Err: errors.New("no pairs here"), Fix: "name them NAME" + RequestSuffix + " and NAME" + ResponseSuffix})
			return
		}
		for _, name := range names {
			x, err := Pair(filepath.Join(folder, name+RequestSuffix))
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// Pair reads the pair to which a file NAME.request.json belongs.
func Pair(request string) (Exchange, error) {
	var x Exchange
	var err error
	if x.Request, err = readBody(request); err != nil {
		fix := ""
		if errors.Is(err, fs.ErrNotExist) {
			fix = "a response needs its request beside it"
		}
		return x, &Error{File: request, Err: err, Fix: fix}
	}
	response := strings.TrimSuffix(request, RequestSuffix) + ResponseSuffix
	x.Answer, err = readBody(response)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.End, x.Reason = spec.EndOmitted, "there is no "+filepath.Base(response)
	case err != nil:
		return x, &Error{File: response, Err: err}
	}
	x.settle()
	return x, nil
}

func readBody(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("over the limit of %d bytes", maxBody)
	}
	return body, err
}
