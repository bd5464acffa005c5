package runner

import (
	hclog "github.com/hashicorp/go-hclog"
	"github.com/rs/zerolog"
)

// bridge takes the library's messages to our log, as debug whatever the library thinks of them: it warns of ordinary ends,
// and what went wrong is reported by whoever called it.
type bridge struct {
	hclog.Logger // the rest of the interface, which does nothing
	log          zerolog.Logger
}

func quiet(log zerolog.Logger) hclog.Logger {
	return bridge{Logger: hclog.NewNullLogger(), log: log}
}

func (b bridge) write(message string, fields []any) {
	b.log.Debug().Fields(fields).Msg("plugin library: " + message)
}

func (b bridge) Log(_ hclog.Level, message string, fields ...any) { b.write(message, fields) }
func (b bridge) Debug(message string, fields ...any)              { b.write(message, fields) }
func (b bridge) Info(message string, fields ...any)               { b.write(message, fields) }
func (b bridge) Warn(message string, fields ...any)               { b.write(message, fields) }
func (b bridge) Error(message string, fields ...any)              { b.write(message, fields) }
func (b bridge) With(...any) hclog.Logger                         { return b }
func (b bridge) Named(string) hclog.Logger                        { return b }
func (b bridge) ResetNamed(string) hclog.Logger                   { return b }
