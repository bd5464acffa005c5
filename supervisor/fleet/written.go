package fleet

import (
	"time"

	"rookery/capsule/strictyaml"
)

// written is a fleet file as it is written, every key of the format.
type written struct {
	Version       int                 `yaml:"version"`
	StateDir      string              `yaml:"state_dir"`
	Store         []string            `yaml:"store"`
	Operator      operator            `yaml:"operator"`
	HTTP          listener            `yaml:"http"`
	Doors         doors               `yaml:"doors"`
	Containment   string              `yaml:"containment"`
	Limits        limits              `yaml:"limits"`
	OrphanTimeout strictyaml.Duration `yaml:"orphan_timeout"`
	Retention     retention           `yaml:"retention"`
	WarmWorkers   int                 `yaml:"warm_workers"`
	Identity      identity            `yaml:"identity"`
	Capsules      []capsule           `yaml:"capsules"`
	Mounts        []mount             `yaml:"mounts"`
	Peers         map[string]peer     `yaml:"peers"`
}

type operator struct {
	Listen string      `yaml:"listen"`
	TLS    operatorTLS `yaml:"tls"`
}

type operatorTLS struct {
	Cert     string `yaml:"cert"`
	Key      string `yaml:"key"`
	ClientCA string `yaml:"client_ca"`
}

type listener struct {
	Listen string `yaml:"listen"`
}

type doors struct {
	Default string `yaml:"default"`
}

type limits struct {
	MaxDepth         int   `yaml:"max_depth"`
	MaxChildren      int   `yaml:"max_children"`
	MaxLiveCapsules  count `yaml:"max_live_capsules"`
	MaxSpawnsPerRoot int   `yaml:"max_spawns_per_root"`
	SpawnRate        Rate  `yaml:"spawn_rate"`
	SpawnBurst       int   `yaml:"spawn_burst"`
}

type retention struct {
	Records  *strictyaml.Duration `yaml:"records"`
	MaxBytes *strictyaml.Size     `yaml:"max_bytes"`
}

type identity struct {
	Owner string   `yaml:"owner"`
	Scope []string `yaml:"scope"`
}

type capsule struct {
	ID          string            `yaml:"id"`
	Name        string            `yaml:"name"`
	Version     string            `yaml:"version"`
	Task        *string           `yaml:"task"`
	TaskFile    *string           `yaml:"task_file"`
	Workdir     string            `yaml:"workdir"`
	Env         map[string]string `yaml:"env"`
	Owner       string            `yaml:"owner"`
	Scope       []string          `yaml:"scope"`
	Sensitivity string            `yaml:"sensitivity"`
	Restart     restart           `yaml:"restart"`
}

type restart struct {
	Policy     string               `yaml:"policy"`
	Max        *int                 `yaml:"max"`
	Window     *strictyaml.Duration `yaml:"window"`
	Backoff    *strictyaml.Duration `yaml:"backoff"`
	BackoffMax *strictyaml.Duration `yaml:"backoff_max"`
}

type mount struct {
	Host     string   `yaml:"host"`
	Guest    string   `yaml:"guest"`
	ReadOnly *bool    `yaml:"read_only"`
	Capsules []string `yaml:"capsules"`
}

type peer struct {
	Card              string     `yaml:"card"`
	URL               string     `yaml:"url"`
	Tenant            string     `yaml:"tenant"`
	Scope             []string   `yaml:"scope"`
	Mutates           bool       `yaml:"mutates"`
	Recovery          string     `yaml:"recovery"`
	Retry             retry      `yaml:"retry"`
	MaxSensitivity    string     `yaml:"max_sensitivity"`
	OutputSensitivity string     `yaml:"output_sensitivity"`
	Loopback          bool       `yaml:"loopback"`
	TLS               peerTLS    `yaml:"tls"`
	Keys              []peerKey  `yaml:"keys"`
	Credential        credential `yaml:"credential"`
}

type retry struct {
	Attempts   int                 `yaml:"attempts"`
	Backoff    strictyaml.Duration `yaml:"backoff"`
	BackoffMax strictyaml.Duration `yaml:"backoff_max"`
}

type peerTLS struct {
	CA string `yaml:"ca"`
}

type peerKey struct {
	Kid  string `yaml:"kid"`
	File string `yaml:"file"`
}

// credential is read no further: peers are refused as a whole.
type credential struct {
	Audience          string `yaml:"audience"`
	Env               any    `yaml:"env"`
	File              any    `yaml:"file"`
	Exchange          any    `yaml:"exchange"`
	ClientCredentials any    `yaml:"client_credentials"`
}

// defaults are the format's own.
func defaults() written {
	return written{
		Doors:       doors{Default: "open"},
		Containment: "auto",
		Limits: limits{
			MaxDepth: 3, MaxChildren: 4, MaxSpawnsPerRoot: 256,
			SpawnRate: Rate{Count: 120, Per: time.Minute}, SpawnBurst: 30,
		},
		OrphanTimeout: strictyaml.Duration(10 * time.Minute),
	}
}
