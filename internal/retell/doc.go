// Package retell tells a recording again as a scenario. Of one of Hallmark's own
// recordings that is the scenario that was run, bound and concrete. Of a capture
// of production, which holds no script, it is inferred: what the client said and
// what the model proposed stand in the triggers, what time and disturbances did in
// the order of the deliveries (R4, R5). It is pure: events in, a scenario out, the
// same for the same events. Ids and deadlines are never copied.
package retell
