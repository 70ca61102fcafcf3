package workertest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Send delivers one decision request as it stands, with the headers of an
// engine (wire 1), and returns the exchange. It checks nothing, the request
// included, and asks nothing before: the request is the only one that goes out.
// The answer is whatever came: a status that is no 200, or an end before the
// answer was whole, is no error. The error is that of a target that cannot be
// opened or reached, of a request that has no JSON form, or of ctx. An answer
// is waited for until ctx is done, or nothing came for 60 seconds (D2). Send is
// safe for concurrent use.
func Send(ctx context.Context, target Target, req spec.DecisionRequest) (*spec.Exchange, error) {
	if req.Trigger == nil {
		return nil, problem("the request has no trigger", "set DecisionRequest.Trigger, for example to a spec.SessionStartTrigger")
	}
	body, err := spec.Marshal(req)
	if err != nil {
		return nil, &fault{message: "encode the request: " + err.Error(), err: err}
	}
	w, err := target.open(ctx, opening{})
	if err != nil {
		return nil, err
	}
	defer w.close()
	ids := simulator.Ids{Seed: 1, Case: req.DecisionID, Session: req.SessionID, At: simulator.DefaultAt}
	headers := simulator.WireHeaders(ids.Traceparent(1), nil)
	now := spec.At(time.Now())
	got := w.post.Post(ctx, simulator.Post{Body: body, Headers: headers})
	switch a := got.Answer; {
	case ctx.Err() != nil && a.End != spec.EndWhole:
		return nil, fmt.Errorf("workertest: send: %w", context.Cause(ctx))
	case got.Conn == "" && a.Status == 0:
		return nil, problem("the worker cannot be reached: "+a.Reason+afterLine(w.died()), "")
	}
	a := got.Answer
	return &spec.Exchange{
		Session: "s1", D: "d1", N: 1,
		Request: &spec.RequestEvent{
			D: "d1", Decision: req.DecisionID, Delivery: 1, Trigger: req.Trigger.TriggerType(),
			Method: http.MethodPost, Target: w.path(), Proto: "HTTP/1.1", Conn: got.Conn, Now: now.String(),
			Headers: append(slices.Clone(headers), [2]string{"content-length", strconv.Itoa(len(body))}),
			Body:    spec.BodyOf(body), Trace: ids.Trace(),
		},
		RequestBody: body,
		Response: &spec.ResponseEvent{
			D: "d1", Status: a.Status, Proto: got.Proto, Headers: a.Headers,
			Bytes: int64(len(a.Body)), End: a.End, Reason: a.Reason, Body: spec.BodyOf(a.Body),
		},
		ResponseBody: a.Body,
	}, nil
}
