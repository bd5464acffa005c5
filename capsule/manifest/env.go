package manifest

import (
	"fmt"
	"strings"
)

// credentials are patterns of variables that hold secrets on ordinary machines,
// compared in upper case. * stands for anything. The first lines are the format's
// own list; the last ones are endings that nobody uses for anything else.
var credentials = []string{
	"AWS_*", "*_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "DOCKER_*", "KUBECONFIG",
	"NPM_TOKEN", "PYPI_TOKEN", "CARGO_REGISTRY_TOKEN",
	"AZURE_*", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_AUTH_SOCK", "NETRC", "PGPASSWORD",
	"*_TOKEN", "*_SECRET", "*_SECRET_KEY", "*_ACCESS_KEY", "*_PRIVATE_KEY", "*_PASSWORD", "*_PASSPHRASE", "*_CREDENTIALS",
}

// runtimeOwned are variables whose values come from the host; letting them through
// changes nothing.
var runtimeOwned = []string{"PATH", "HOME", "MURMUR_*"}

// env checks env.allow: names as a shell takes them, no credentials.
func (c *checker) env(allow []string) {
	for i, name := range allow {
		path := fmt.Sprintf("capabilities.env.allow[%d]", i)
		switch pattern := matching(credentials, name); {
		case !envName(name):
			c.fault(path, CodeInvalid, "%.80q is not the name of a variable", name)
		case pattern != "":
			c.fault(path, CodeCredentialEnv, "%.80q looks like a credential (%s); a capsule gets none by its environment", name, pattern)
		case matching(runtimeOwned, name) != "":
			c.warnings = append(c.warnings, c.document.Fault(path, CodeNoEffect, "the host sets %s itself, so letting it through changes nothing", name))
		}
	}
}

func envName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// matching is the first pattern that name matches, or "".
func matching(patterns []string, name string) string {
	upper := strings.ToUpper(name)
	for _, pattern := range patterns {
		head, tail, wild := strings.Cut(pattern, "*")
		if wild && strings.HasPrefix(upper, head) && strings.HasSuffix(upper, tail) || upper == pattern {
			return pattern
		}
	}
	return ""
}
