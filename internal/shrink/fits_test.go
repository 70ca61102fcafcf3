package shrink_test

// Requests that these tests send, if any, are held against their schema.
import _ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
