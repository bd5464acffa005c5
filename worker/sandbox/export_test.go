package sandbox

// CompileUnscanned asks the engine alone, as if admission had let the module through.
var CompileUnscanned = compile

// Settings are the engine's switches by name.
func Settings() map[string]any {
	m := map[string]any{}
	for _, s := range settings {
		m[s.name] = s.value
	}
	return m
}
