package manifest

import "rookery/capsule/strictyaml"

// The codes of faults and warnings, the format's own where it has one.
const (
	// CodeSyntax is a manifest that is not one YAML document.
	CodeSyntax = "E-MAN-001"
	// CodeMissing is a key without which there is no capsule.
	CodeMissing = "E-MAN-002"
	// CodeInvalid is an unknown key, a wrong type or value, or two keys that exclude
	// each other.
	CodeInvalid = "E-MAN-003"
	// CodeScope is a filesystem.scope that is no folder beneath the work folder.
	CodeScope = "E-CAP-002"
	// CodeReadOnly is a filesystem.read_only entry that is no path beneath it.
	CodeReadOnly = "E-CAP-012"
	// CodeContainment is a class of isolation that is not reached.
	CodeContainment = "E-CAP-003"
	// CodeCredentialEnv is an env.allow entry that looks like a credential.
	CodeCredentialEnv = "E-CAP-016"
	// CodeName is a name that no package may have.
	CodeName = "E-BLD-001"
	// CodeFiles is a requires_files entry that can name no file of the package.
	CodeFiles = "E-BLD-002"
	// CodeReservedVersion is a version that names no exact one.
	CodeReservedVersion = "E-REG-004"
	// CodeNotBuilt is a key that this build does not act on: refused as a fault,
	// left out as a warning.
	CodeNotBuilt = "not_built"
	// CodeNoEffect warns of an entry that changes nothing.
	CodeNoEffect = "no_effect"
)

// recode puts the format's codes in place of strictyaml's.
func recode(faults strictyaml.Faults) strictyaml.Faults {
	for i := range faults {
		switch faults[i].Code {
		case strictyaml.CodeSyntax, strictyaml.CodeLimit:
			faults[i].Code = CodeSyntax
		default:
			faults[i].Code = CodeInvalid
		}
	}
	return faults
}
