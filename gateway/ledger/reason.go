package ledger

// reasons is the closed list of why requests are refused or fail, as the error's
// code in the answer, the log row and the metrics label name it. The last takes
// whatever is not listed, so that the sum over reasons always closes.
var reasons = [...]string{
	"missing_api_key", "invalid_api_key", "key_disabled",
	"model_not_allowed", "model_not_found", "unknown_url", "method_not_allowed",
	"insufficient_quota", "token_quota_spent", "rate_limit_requests", "rate_limit_tokens", "admission_unavailable",
	"invalid_json", "invalid_request", "missing_model", "body_too_large", "head_too_large", "request_timeout", "malformed_request",
	"upstream_unreachable", "upstream_reset", "upstream_malformed", "upstream_timeout", "upstream_overloaded", "upstream_truncated",
	"shutting_down", "log_store_failed", "internal_error", "upstream_stream_error", "stream_unterminated",
	other,
}

const other = "other"

// reasonIndex is built once: the hot path counts a refusal, not an answer.
var reasonIndex = func() map[string]int {
	m := make(map[string]int, len(reasons))
	for i, name := range reasons {
		m[name] = i
	}
	return m
}()

// AddReason counts one refusal or failure by its reason.
func (s Slot) AddReason(reason string) {
	i, ok := reasonIndex[reason]
	if !ok {
		i = len(reasons) - 1
	}
	s.words[int(NumCounters)+i].Add(1)
}

// Reasons is the refusals and failures by reason, summed over slots; reasons
// that never occurred are left out.
func Reasons(slots []Slot) map[string]int64 {
	m := make(map[string]int64)
	for i, name := range reasons {
		for _, s := range slots {
			if n := s.words[int(NumCounters)+i].Load(); n != 0 {
				m[name] += n
			}
		}
	}
	return m
}
