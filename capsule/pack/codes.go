package pack

// The codes of what is wrong with a package, the format's own.
const (
	// CodeModules is a package without one clear module.
	CodeModules = "E-BLD-003"
	// CodeModule is a module that cannot be a capsule's. The format has the code
	// without saying what it is for.
	CodeModule = "E-BLD-004"
	// CodeIntegrity is an archive that is not what the digest beside it, or its place
	// in the store, says.
	CodeIntegrity = "E-REG-005"
	// CodeMissingFile is a file that the manifest requires and that is not there.
	CodeMissingFile = "E-IO-003"
	// CodeOtherModule warns of a root module that is not the capsule's.
	CodeOtherModule = "W-BLD-002"
	// CodeBuildInput warns of what built the module and need not be in the package.
	CodeBuildInput = "W-BLD-003"
	// CodePassedOver warns of an entry of an archive that is treated as absent. It is
	// ours.
	CodePassedOver = "passed_over"
)
