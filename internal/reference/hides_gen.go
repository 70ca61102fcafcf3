package reference

// hides are the requirements that each blunt fault makes unreachable.
var hides = map[string][]string{}
