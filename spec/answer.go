package spec

// Answer is what came back for one delivery of a decision, as the transport
// saw it (D2).
type Answer struct {
	// Status is the HTTP status, 0 when no response head came.
	Status int
	// Headers are the response's headers in order, names as they came.
	Headers [][2]string
	// Body is what arrived of the body, undecoded.
	Body []byte
	// End says how the body ended; Reason says why when it is not whole.
	End    BodyEnd
	Reason string
}

// Failure is a delivery that failed, as the engine classes it (D2).
type Failure struct {
	Class FailureClass
	Info  ErrorInfo
	// Fault is where the text of the answer did not read, with its exact
	// pointer; nil when the failure is of another kind.
	Fault *Fault
}

// FailureClass says whether a failed delivery goes out again (D2, D3).
type FailureClass string

// The classes of failed deliveries.
const (
	FailureRetryable FailureClass = "retryable"
	FailureFatal     FailureClass = "fatal"
)

// Fault is one place where a text did not read as what it should be.
type Fault struct {
	// Param is the path as the engine prints it: "actions[0].type"; "" for a
	// fault without a path, such as a syntax error (D2).
	Param string
	// Pointer is the exact JSON pointer of the fault.
	Pointer string
	// Message says what is wrong, in our own words.
	Message string
}

// Error returns the pointer and the message.
func (f *Fault) Error() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}
