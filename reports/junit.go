package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// WriteJUnit writes r in the XML form that CI systems read: a suite of
// requirements, one of cases, one of the run itself; of recordings that were
// played again, one of recordings and one of the run. Names and classes are ids,
// so that a CI system can follow one test from run to run. What was not observed or does not apply
// is skipped with its reason; a warning passes and says so in its output. The
// error is that of w.
func WriteJUnit(w io.Writer, r *Report) error {
	doc := junitSuites{Name: "hallmark", Time: seconds(r.Measured.Ms)}
	if r.Played {
		doc.add(recordingSuite(r))
	} else {
		doc.add(requirementSuite(r))
		doc.add(caseSuite(r))
	}
	doc.add(runSuite(r))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Time   string       `xml:"time,attr"`
	Suites []junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Tests      []junitTest     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitTest struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitTrouble `xml:"failure"`
	Error   *junitTrouble `xml:"error"`
	Skipped *junitTrouble `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitTrouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func (d *junitSuites) add(s junitSuite) {
	for _, t := range s.Tests {
		s.junitCounts.Tests++
		switch {
		case t.Failure != nil:
			s.Failures++
		case t.Error != nil:
			s.Errors++
		case t.Skipped != nil:
			s.Skipped++
		}
	}
	d.junitCounts.Tests += s.junitCounts.Tests
	d.Failures += s.Failures
	d.Errors += s.Errors
	d.Skipped += s.Skipped
	d.Suites = append(d.Suites, s)
}

func requirementSuite(r *Report) junitSuite {
	s := junitSuite{Name: "requirements", Time: seconds(0), Properties: []junitProperty{
		{"hallmark", r.MadeBy.Hallmark}, {"registry", r.MadeBy.Registry},
		{"worker", printableXML(r.Worker.URL)}, {"seed", fmt.Sprint(r.Worker.Seed)},
	}}
	for _, q := range r.Requirements {
		area, _, _ := strings.Cut(q.ID, ".")
		t := junitTest{Class: "hallmark.requirements." + area, Name: q.ID, Time: seconds(0)}
		var places []string
		for _, c := range r.Cases {
			for _, f := range c.Findings {
				if f.Requirement == q.ID {
					places = append(places, c.ID+"\n"+findingText(f))
				}
			}
		}
		t.settle(q.Status, q.Text, q.Reason, strings.Join(places, "\n\n"))
		s.Tests = append(s.Tests, t)
	}
	return s
}

func caseSuite(r *Report) junitSuite {
	s := junitSuite{Name: "cases", Time: seconds(r.Measured.Ms)}
	for _, c := range r.Cases {
		path, _, _ := strings.Cut(c.ID, "#")
		t := junitTest{Class: "hallmark.cases." + printableXML(path), Name: printableXML(c.ID), Time: seconds(c.Measured.Ms)}
		var places []string
		for _, f := range append(append([]Finding(nil), c.Findings...), c.Expectations...) {
			places = append(places, findingText(f))
		}
		if c.Repeat != "" {
			places = append(places, "repeat: "+c.Repeat)
		}
		message := c.Title
		if message == "" {
			message = c.ID
		}
		t.settle(c.Status, message, c.Reason, strings.Join(places, "\n\n"))
		s.Tests = append(s.Tests, t)
	}
	return s
}

// recordingSuite gives each recording that was played again a test.
func recordingSuite(r *Report) junitSuite {
	s := junitSuite{Name: "recordings", Time: seconds(r.Measured.Ms), Properties: []junitProperty{{"hallmark", r.MadeBy.Hallmark}}}
	if r.Worker.URL != "" {
		s.Properties = append(s.Properties, junitProperty{"worker", printableXML(r.Worker.URL)})
	}
	times := map[string]int{}
	for _, c := range r.Cases {
		times[c.ID]++
	}
	for _, c := range r.Cases {
		path, _, _ := strings.Cut(c.ID, "#")
		if times[c.ID] > 1 {
			// One case may have been recorded more than once.
			c.ID += " in " + c.Recording
		}
		t := junitTest{Class: "hallmark.replay." + printableXML(path), Name: printableXML(c.ID), Time: seconds(c.Measured.Ms)}
		var places []string
		for _, d := range c.Divergences {
			places = append(places, divergenceText(d))
		}
		for _, part := range [][2]string{{"file", c.Recording}, {"repeat", c.Repeat}} {
			if part[1] != "" {
				places = append(places, part[0]+": "+part[1])
			}
		}
		message := c.ID
		if len(c.Divergences) > 0 {
			message = c.Divergences[0].Text
		}
		t.settle(c.Status, message, c.Reason, strings.Join(places, "\n\n"))
		s.Tests = append(s.Tests, t)
	}
	return s
}

// divergenceText is one divergence in a few lines.
func divergenceText(d Divergence) string {
	lines := []string{d.Code + ": " + d.Text}
	for _, part := range [][2]string{
		{"where", d.where()}, {"at", strings.TrimSpace(d.In + " " + d.Pointer)}, {"got", d.Got}, {"want", d.Want},
		{"rules", d.Rules}, {"after", d.After}, {"why", d.Reason},
	} {
		if part[1] != "" {
			lines = append(lines, part[0]+": "+part[1])
		}
	}
	return strings.Join(lines, "\n")
}

// runSuite tells what is about no requirement and no case: a run that did not
// come to its end, entries of a baseline that no longer hold, and nothing to go
// by at all.
func runSuite(r *Report) junitSuite {
	s := junitSuite{Name: "run", Time: seconds(0)}
	whole := junitTest{Class: "hallmark.run", Name: "comes to its end", Time: seconds(0)}
	switch {
	case r.Ended != "":
		whole.settle(spec.StatusError, "", r.Ended, "")
	case r.Exit == ExitUnreachable:
		whole.settle(spec.StatusError, "", "the worker could not be reached or started", "")
	case r.Exit == ExitUsage && r.Played:
		whole.settle(spec.StatusError, "", "the recordings hold no request that could be told", "")
	case r.Exit == ExitUsage:
		whole.settle(spec.StatusError, "", "nothing was observed", "")
	}
	s.Tests = append(s.Tests, whole)
	for _, e := range r.Stale {
		t := junitTest{Class: "hallmark.run.baseline", Name: printableXML(e.Entry), Time: seconds(0)}
		t.settle(spec.StatusFail, e.Got, "", e.Place+"\nhint: "+e.Hint)
		s.Tests = append(s.Tests, t)
	}
	return s
}

// settle writes a status in JUnit's few words.
func (t *junitTest) settle(status spec.Status, message, reason, text string) {
	message, reason, text = printableXML(message), printableXML(reason), printableXML(text)
	switch status {
	case spec.StatusFail:
		t.Failure = &junitTrouble{message, string(status), text}
	case spec.StatusError:
		t.Error = &junitTrouble{reason, string(status), text}
	case spec.StatusNotObserved, spec.StatusNotApplicable:
		t.Skipped = &junitTrouble{Message: strings.ReplaceAll(string(status), "-", " ") + ": " + reason}
	case spec.StatusWarn, spec.StatusKnownFailing:
		t.Out = string(status) + ": " + message + "\n" + text
	}
}

// findingText is one finding in a few lines.
func findingText(f Finding) string {
	name := f.Requirement
	if name == "" {
		name = f.Expectation
	}
	lines := []string{string(f.Status) + " " + name}
	for _, part := range [][2]string{
		{"where", whereText(f)}, {"at", f.Pointer}, {"got", f.Got}, {"want", f.Want}, {"hint", f.Hint}, {"curl", f.Curl},
	} {
		if part[1] != "" {
			lines = append(lines, part[0]+": "+part[1])
		}
	}
	return strings.Join(lines, "\n")
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

// printableXML writes what XML cannot hold as escapes: a worker's words may
// hold any byte.
func printableXML(text string) string { return strings.ReplaceAll(Clean(text), "\ufffe", `\ufffe`) }
