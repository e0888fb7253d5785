package orchestrate

import "github.com/termio-sh/termio/internal/hostproto"

// acpFailure tells whether a turn over ACP ended because the agent itself was
// not there: it died, or could not be started or continued. What the agent
// reports as its own failure is an outcome like any other.
func acpFailure(st hostproto.Status) (Failure, bool) {
	if st.Cause.Channel != "acp" || st.Error == "" {
		return Failure{}, false
	}
	switch st.Cause.Rule {
	case "agent_gone", "start_failed", "unsupported_protocol", "auth_required", "not_resumable", "timeout", "message_too_long":
		return Failure{AgentGone, st.Error}, true
	}
	return Failure{}, false
}
