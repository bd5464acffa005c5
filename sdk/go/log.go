package murmur

// Level is the weight of a line in the host's log.
type Level string

// The levels.
const (
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Log leaves a line with its level in the host's log of this session. Plain prints to stdout and stderr are kept too.
func Log(level Level, message string) error {
	return call("log", logRequest{Level: level, Message: message}, &struct{}{})
}

type logRequest struct {
	Level   Level  `json:"level"`
	Message string `json:"message"`
}
