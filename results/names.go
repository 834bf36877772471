package results

// Names of the generator's histograms, in nanoseconds. They are the generator's
// own names, spelled here so that reading results needs no generator.
const (
	ServiceTime   = "service"        // sent → last byte
	ResponseTime  = "response"       // intended → last byte (open loop)
	SendLag       = "send_lag"       // intended → sent (open loop)
	FirstByte     = "first_byte"     // sent → first byte
	TTFT          = "ttft"           // sent → first content frame
	ITL           = "itl"            // gap between content frames that arrived in different reads
	TPOT          = "tpot"           // (last − first content) ÷ (content frames − 1)
	ServicePlain  = "service_plain"  // ServiceTime of the requests that were not streamed
	ServiceStream = "service_stream" // and of those that were
	ErrorTime     = "error"          // service time of requests that failed or were rejected
)

// Names of the histograms that join the generator's stamps with the mock's,
// in nanoseconds. The floor's are measured in the same way.
const (
	Toll            = "toll"              // client total − mock total
	TollRequestLeg  = "toll_request_leg"  // mock received − client sent
	TollResponseLeg = "toll_response_leg" // client received − mock sent
	TollPlain       = "toll_plain"        // Toll of the requests that were not streamed
	TollStream      = "toll_stream"       // and of those that were
)
