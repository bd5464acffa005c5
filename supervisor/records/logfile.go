package records

import (
	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// LogFile is where a source's lines lie in a records folder.
func LogFile(source operatorv1.LogSource) string {
	switch source {
	case operatorv1.LogSource_LOG_SOURCE_GUEST_STDOUT:
		return layout.GuestStdoutLog
	case operatorv1.LogSource_LOG_SOURCE_WORKER:
		return layout.WorkerLog
	case operatorv1.LogSource_LOG_SOURCE_TRACE:
		return layout.TraceFile
	default:
		return layout.GuestStderrLog
	}
}
