package spec

// RetryPolicy is a whole retry policy, in seconds (wire 8, H1). A nil time-out
// means none.
type RetryPolicy struct {
	QueueTimeoutSecs *uint32 `json:"queue_timeout_secs"`
	RunTimeoutSecs   *uint32 `json:"run_timeout_secs"`
	TotalTimeoutSecs *uint32 `json:"total_timeout_secs"`
	MaxAttempts      uint32  `json:"max_attempts"`
	BackoffBaseSecs  uint32  `json:"backoff_base_secs"`
	BackoffMaxSecs   uint32  `json:"backoff_max_secs"`
}

// RetryOverride changes the named fields of a policy and keeps the others
// (wire 8, H2).
type RetryOverride struct {
	QueueTimeoutSecs *uint32 `json:"queue_timeout_secs,omitzero"`
	RunTimeoutSecs   *uint32 `json:"run_timeout_secs,omitzero"`
	TotalTimeoutSecs *uint32 `json:"total_timeout_secs,omitzero"`
	MaxAttempts      *uint32 `json:"max_attempts,omitzero"`
	BackoffBaseSecs  *uint32 `json:"backoff_base_secs,omitzero"`
	BackoffMaxSecs   *uint32 `json:"backoff_max_secs,omitzero"`
}

// RetryConfig is an agent's own layer of retry policies (wire 8, H2).
type RetryConfig struct {
	Default   *RetryOverride `json:"default,omitzero"`
	Llm       *RetryOverride `json:"llm,omitzero"`
	Tool      *RetryOverride `json:"tool,omitzero"`
	Subagent  *RetryOverride `json:"subagent,omitzero"`
	Connector *RetryOverride `json:"connector,omitzero"`
}
