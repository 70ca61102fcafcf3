package spec

import "github.com/go-json-experiment/json/jsontext"

// ErrorInfo says why something ended badly (wire 10).
type ErrorInfo struct {
	Message string         `json:"message"`
	Code    ErrorCode      `json:"code"`
	Param   string         `json:"param,omitzero"`
	Detail  jsontext.Value `json:"detail,omitzero"`
}

// ErrorCode is the closed set of error codes (wire 10, gap 6).
type ErrorCode string

// The ten codes. An eleventh in an answer spoils it.
const (
	CodeProviderError     ErrorCode = "provider_error"
	CodeRateLimited       ErrorCode = "rate_limited"
	CodeRefused           ErrorCode = "refused"
	CodeBudgetExceeded    ErrorCode = "budget_exceeded"
	CodeDeadlineExceeded  ErrorCode = "deadline_exceeded"
	CodeInvalidResponse   ErrorCode = "invalid_response"
	CodeHandlerError      ErrorCode = "handler_error"
	CodeWorkerUnreachable ErrorCode = "worker_unreachable"
	CodeUnroutable        ErrorCode = "unroutable"
	CodeInternal          ErrorCode = "internal"
)
