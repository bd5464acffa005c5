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

// Imports are the names of all there is to import.
func Imports() []string {
	var all []string
	for _, f := range imports {
		all = append(all, f.Module+"."+f.Name)
	}
	return all
}
