package house_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// law is one rule. Its check returns one sentence for each place that breaks it.
type law struct {
	name  string
	check func([]source) []string
}

// laws are all rules that are read from sources.
var laws = []law{
	{"imports point down", each(arrows)},
	{"a library has its users", each(onlyUsers)},
	{"helpers of tests stay in tests", each(helpers)},
	{"some functions have their places", each(calls)},
	{"tests are not skipped", each(skips)},
	{"a file is a small room", each(length)},
	{"nothing is left for later", each(leftovers)},
	{"no file names a machine", each(machines)},
	{"every package has its doc.go", docs},
}

// each turns a rule for one file into one for all.
func each(check func(source) []string) func([]source) []string {
	return func(sources []source) []string {
		var broken []string
		for _, s := range sources {
			broken = append(broken, check(s)...)
		}
		return broken
	}
}

func TestRepositoryKeepsItsLaws(t *testing.T) {
	t.Parallel()
	sources := repository(t)
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			for _, sentence := range l.check(sources) {
				t.Error(sentence)
			}
		})
	}
}

func TestEveryLawCanBeBroken(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, c := range cases {
		tried[c.law] = true
		t.Run(c.law+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			broken := find(t, c.law).check([]source{parse(t, c.path, c.text)})
			if c.kept {
				assert.Empty(t, broken)
			} else {
				assert.Len(t, broken, 1)
			}
		})
	}
	for _, l := range laws {
		assert.True(t, tried[l.name], "no case breaks the law %q", l.name)
	}
}

func TestPathsOfThisMachineAreSeen(t *testing.T) {
	t.Parallel()
	s := parse(t, "docs/x.md", "cd /srv/ci/rookery && ./dev test")
	assert.Len(t, mentions(s, []string{"/srv/ci/rookery"}), 1)
	assert.Empty(t, mentions(s, []string{"/srv/ci/other"}))
}

func find(t *testing.T, name string) law {
	t.Helper()
	for _, l := range laws {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("no law is named %q", name)
	return law{}
}
