package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
)

// Reasons why the gateway answers a request itself. They stand in the
// X-Tollgate-Error field, in the row and in the ledger. Those of refusals are
// package admission's.
const (
	ReasonUnknownURL    = "unknown_url"
	ReasonMethod        = "method_not_allowed"
	ReasonModelNotFound = "model_not_found"
	ReasonMissingModel  = "missing_model"
	ReasonInvalidJSON   = "invalid_json"
	ReasonInvalid       = "invalid_request"
	ReasonBodyTooLarge  = "body_too_large"
	ReasonHeadTooLarge  = "head_too_large"
	ReasonTimeout       = "request_timeout"
	ReasonMalformed     = "malformed_request"
	ReasonUnreachable   = "upstream_unreachable"
	ReasonReset         = "upstream_reset"
	ReasonUpMalformed   = "upstream_malformed"
	ReasonUpTimeout     = "upstream_timeout"
	ReasonOverloaded    = "upstream_overloaded"
	ReasonTruncated     = "upstream_truncated"
	ReasonShutdown      = "shutting_down"
	ReasonLogStore      = "log_store_failed"
	ReasonInternal      = "internal_error"
	// Two that stand in rows only: the answer passed as the upstream sent it.
	ReasonStreamError  = "upstream_stream_error" // an error inside a 200 stream
	ReasonUnterminated = "stream_unterminated"   // neither [DONE] nor a finish reason came
)

// cause is one fixed answer of the gateway's own.
type cause uint8

const (
	causeNone cause = iota
	causeNoKey
	causeBadKey
	causeDisabled
	causeModelDenied
	causeBudget
	causeTokenBudget
	causeRPM
	causeTPM
	causeUnavailable
	causeUnknownURL
	causeMethod
	causeModelNotFound
	causeMissingModel
	causeNotJSON
	causeNotObject
	causeDeep
	causeDuplicate
	causeModelType
	causeStreamType
	causeBodyTooLarge
	causeHeadTooLarge
	causeTimeout
	causeMalformed
	causeUnreadable // the same, with the engine's words
	causeUnreachable
	causeReset
	causeUpMalformed
	causeUpTimeout
	causeConnTimeout
	causeStalled
	causeOverloaded
	causeTruncated
	causeShutdown
	causeLogStore
	causeInternal
	numCauses
)

// fault describes a cause: what is answered and what is logged.
type fault struct {
	status int
	reason string
	err    openai.Error // a '%' in Message is where something of the request is quoted
	mark   []byte       // reason
	body   []byte       // rendered, where nothing is quoted
	event  []byte       // rendered as an event of a stream
}

const (
	invalid = openai.TypeInvalidRequest
	server  = openai.TypeServer
)

var faults = render([numCauses]fault{
	causeNoKey: {status: 401, reason: string(admission.ReasonNoKey), err: openai.Error{
		Message: "No API key was given. Send it as 'Authorization: Bearer KEY'.", Type: invalid, Code: "invalid_api_key",
	}},
	causeBadKey: {status: 401, reason: string(admission.ReasonBadKey), err: openai.Error{
		Message: "The API key is not known to this gateway.", Type: invalid, Code: "invalid_api_key",
	}},
	causeDisabled: {status: 401, reason: string(admission.ReasonDisabled), err: openai.Error{
		Message: "The API key is disabled.", Type: invalid, Code: "invalid_api_key",
	}},
	causeModelDenied: {status: 403, reason: string(admission.ReasonModel), err: openai.Error{
		Message: "This API key may not use the model `%`.", Type: invalid, Param: "model", Code: "model_not_allowed",
	}},
	causeBudget: {status: 429, reason: string(admission.ReasonBudget), err: openai.Error{
		Message: "Not enough is left of this API key's budget for this request. A lower max_tokens reserves less.", Type: openai.TypeInsufficientQuota, Code: "insufficient_quota",
	}},
	causeTokenBudget: {status: 429, reason: string(admission.ReasonTokenBudget), err: openai.Error{
		Message: "Not enough is left of this API key's token budget for this request. A lower max_tokens reserves less.", Type: openai.TypeInsufficientQuota, Code: "insufficient_quota",
	}},
	causeRPM: {status: 429, reason: string(admission.ReasonRPM), err: openai.Error{
		Message: "Rate limit reached: requests per minute.", Type: openai.TypeRequests, Code: "rate_limit_exceeded",
	}},
	causeTPM: {status: 429, reason: string(admission.ReasonTPM), err: openai.Error{
		Message: "Rate limit reached: tokens per minute.", Type: openai.TypeTokens, Code: "rate_limit_exceeded",
	}},
	causeUnavailable: {status: 503, reason: string(admission.ReasonUnavailable), err: openai.Error{
		Message: "Budgets cannot be checked now, so the request was not sent.", Type: server, Code: string(admission.ReasonUnavailable),
	}},
	causeUnknownURL: {status: 404, reason: ReasonUnknownURL, err: openai.Error{
		Message: "Invalid URL (%)", Type: invalid,
	}},
	causeMethod: {status: 405, reason: ReasonMethod, err: openai.Error{
		Message: "Method not allowed: %", Type: invalid, Code: "method_not_supported",
	}},
	causeModelNotFound: {status: 404, reason: ReasonModelNotFound, err: openai.Error{
		Message: "The model `%` does not exist or you do not have access to it.", Type: invalid, Code: "model_not_found",
	}},
	causeMissingModel: {status: 400, reason: ReasonMissingModel, err: openai.Error{
		Message: "The body must name a model.", Type: invalid, Param: "model", Code: "missing_required_parameter",
	}},
	causeNotJSON: {status: 400, reason: ReasonInvalidJSON, err: openai.Error{
		Message: "The body is not valid JSON: it fails at byte %.", Type: invalid,
	}},
	causeNotObject: {status: 400, reason: ReasonInvalidJSON, err: openai.Error{
		Message: "The body must be a JSON object.", Type: invalid,
	}},
	causeDeep: {status: 400, reason: ReasonInvalidJSON, err: openai.Error{
		Message: "The body nests deeper than 512 levels.", Type: invalid,
	}},
	causeDuplicate: {status: 400, reason: ReasonInvalid, err: openai.Error{
		Message: "The body has the member `%` twice.", Type: invalid, Code: "duplicate_parameter",
	}},
	causeModelType: {status: 400, reason: ReasonInvalid, err: openai.Error{
		Message: "The model must be a string.", Type: invalid, Param: "model", Code: "invalid_type",
	}},
	causeStreamType: {status: 400, reason: ReasonInvalid, err: openai.Error{
		Message: "stream must be true or false.", Type: invalid, Param: "stream", Code: "invalid_type",
	}},
	causeBodyTooLarge: {status: 413, reason: ReasonBodyTooLarge, err: openai.Error{
		Message: "The body is larger than the gateway accepts.", Type: invalid, Code: ReasonBodyTooLarge,
	}},
	causeHeadTooLarge: {status: 431, reason: ReasonHeadTooLarge, err: openai.Error{
		Message: "The request head is larger than the gateway accepts.", Type: invalid, Code: ReasonHeadTooLarge,
	}},
	causeTimeout: {status: 408, reason: ReasonTimeout, err: openai.Error{
		Message: "The request did not arrive in time.", Type: invalid, Code: ReasonTimeout,
	}},
	causeMalformed: {status: 400, reason: ReasonMalformed, err: openai.Error{
		Message: "The HTTP request cannot be read.", Type: invalid, Code: ReasonMalformed,
	}},
	causeUnreadable: {status: 400, reason: ReasonMalformed, err: openai.Error{
		Message: "The HTTP request cannot be read: %.", Type: invalid, Code: ReasonMalformed,
	}},
	causeUnreachable: {status: 502, reason: ReasonUnreachable, err: openai.Error{
		Message: "The upstream cannot be reached.", Type: server, Code: ReasonUnreachable,
	}},
	causeReset: {status: 502, reason: ReasonReset, err: openai.Error{
		Message: "The upstream closed the connection before it answered.", Type: server, Code: ReasonReset,
	}},
	causeUpMalformed: {status: 502, reason: ReasonUpMalformed, err: openai.Error{
		Message: "The upstream's answer cannot be read.", Type: server, Code: ReasonUpMalformed,
	}},
	causeUpTimeout: {status: 504, reason: ReasonUpTimeout, err: openai.Error{
		Message: "The upstream did not answer in time.", Type: server, Code: ReasonUpTimeout,
	}},
	causeConnTimeout: {status: 504, reason: ReasonUpTimeout, err: openai.Error{
		Message: "No connection to the upstream could be had in time.", Type: server, Code: ReasonUpTimeout,
	}},
	causeStalled: {status: 504, reason: ReasonUpTimeout, err: openai.Error{
		Message: "The upstream stopped in the middle of its answer.", Type: server, Code: ReasonUpTimeout,
	}},
	causeOverloaded: {status: 503, reason: ReasonOverloaded, err: openai.Error{
		Message: "All connections to the upstream are in use.", Type: server, Code: ReasonOverloaded,
	}},
	causeTruncated: {status: 502, reason: ReasonTruncated, err: openai.Error{
		Message: "The upstream's answer broke off.", Type: server, Code: ReasonTruncated,
	}},
	causeShutdown: {status: 503, reason: ReasonShutdown, err: openai.Error{
		Message: "The gateway is shutting down.", Type: server, Code: ReasonShutdown,
	}},
	causeLogStore: {status: 503, reason: ReasonLogStore, err: openai.Error{
		Message: "The request could not be logged, so its answer is withheld.", Type: server, Code: ReasonLogStore,
	}},
	causeInternal: {status: 500, reason: ReasonInternal, err: openai.Error{
		Message: "The gateway failed.", Type: server, Code: ReasonInternal,
	}},
})

// render renders what does not change from request to request.
func render(table [numCauses]fault) *[numCauses]fault {
	for i := range table {
		f := &table[i]
		f.mark = []byte(f.reason)
		f.body = f.err.Append(nil)
		f.event = f.err.AppendEvent(nil)
	}
	return &table
}

// refusal is the cause of an admission reason.
func refusal(r admission.Reason) cause {
	switch r {
	case admission.ReasonNone:
		return causeNone
	case admission.ReasonNoKey:
		return causeNoKey
	case admission.ReasonBadKey:
		return causeBadKey
	case admission.ReasonDisabled:
		return causeDisabled
	case admission.ReasonModel:
		return causeModelDenied
	case admission.ReasonBudget:
		return causeBudget
	case admission.ReasonTokenBudget:
		return causeTokenBudget
	case admission.ReasonRPM:
		return causeRPM
	case admission.ReasonTPM:
		return causeTPM
	}
	return causeUnavailable // unknown: fail closed
}

// unreadable is the cause of a request that the engine could not read.
func unreadable(status int, reason string) cause {
	switch {
	case reason == ReasonShutdown:
		return causeShutdown
	case status == 413:
		return causeBodyTooLarge
	case status == 431 || status == 414:
		return causeHeadTooLarge
	case status == 408:
		return causeTimeout
	case status == 503:
		return causeShutdown
	case status == 500:
		return causeInternal
	}
	return causeMalformed
}

// upstreamCause is the cause of a fault of the upstream.
func upstreamCause(f UpstreamFault) cause {
	switch f {
	case FaultConnect:
		return causeUnreachable
	case FaultReset:
		return causeReset
	case FaultMidBody:
		return causeTruncated
	case FaultMalformed, FaultHeadTooLarge:
		return causeUpMalformed
	case FaultTimeoutConn:
		return causeConnTimeout
	case FaultTimeoutHead:
		return causeUpTimeout
	case FaultTimeoutBody:
		return causeStalled
	case FaultOverloaded:
		return causeOverloaded
	}
	return causeInternal
}

// unsent reports whether a fault means that the upstream received nothing.
func (f UpstreamFault) unsent() bool {
	return f == FaultConnect || f == FaultTimeoutConn || f == FaultOverloaded
}
