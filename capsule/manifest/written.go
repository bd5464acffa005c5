package manifest

import (
	"time"

	"rookery/capsule/strictyaml"
)

// written is a manifest as it stands in the file. A field of type any belongs to
// a block that this build does not act on; keys.go knows what may stand in it.
type written struct {
	Name          string       `yaml:"name"`
	Version       string       `yaml:"version"`
	MurVersion    string       `yaml:"mur_version"`
	RequiresFiles []string     `yaml:"requires_files"`
	Capabilities  capabilities `yaml:"capabilities"`
	Lifecycle     lifecycle    `yaml:"lifecycle"`
	Artifacts     any          `yaml:"artifacts"`
	Network       any          `yaml:"network"`
	Context       any          `yaml:"context"`
	Observability any          `yaml:"observability"`
	Trace         any          `yaml:"trace"`
	Inference     any          `yaml:"inference"`
	Exports       any          `yaml:"exports"`
	Control       any          `yaml:"control"`
	Config        any          `yaml:"config"`
}

type capabilities struct {
	Spawn       list       `yaml:"spawn"`
	Env         list       `yaml:"env"`
	Limits      limits     `yaml:"limits"`
	Containment string     `yaml:"containment"`
	Filesystem  filesystem `yaml:"filesystem"`
	Resources   resources  `yaml:"resources"`
	Network     any        `yaml:"network"`
	PeerFetch   any        `yaml:"peer_fetch"`
	Shell       any        `yaml:"shell"`
	State       any        `yaml:"state"`
	Plan        any        `yaml:"plan"`
	Install     any        `yaml:"install"`
}

type list struct {
	Allow []string `yaml:"allow"`
}

type limits struct {
	MemoryBytes     strictyaml.Size `yaml:"memory_bytes"`
	TableElements   int64           `yaml:"table_elements"`
	Instances       int64           `yaml:"instances"`
	DeadlineSeconds int64           `yaml:"deadline_seconds"`
}

type filesystem struct {
	Scope       *string  `yaml:"scope"`
	ReadOnly    []string `yaml:"read_only"`
	WorkdirExec any      `yaml:"workdir_exec"`
	Records     any      `yaml:"records"`
}

type resources struct {
	WorkdirMaxBytes     strictyaml.Size `yaml:"workdir_max_bytes"`
	WorkdirMaxFiles     int64           `yaml:"workdir_max_files"`
	MaxProcesses        any             `yaml:"max_processes"`
	MaxOpenFiles        any             `yaml:"max_open_files"`
	MaxFileSizeBytes    any             `yaml:"max_file_size_bytes"`
	CPUSeconds          any             `yaml:"cpu_seconds"`
	MemoryBytes         any             `yaml:"memory_bytes"`
	CgroupMemoryBytes   any             `yaml:"cgroup_memory_bytes"`
	CgroupPidsMax       any             `yaml:"cgroup_pids_max"`
	CgroupCPUPercent    any             `yaml:"cgroup_cpu_percent"`
	CgroupIOBytesPerSec any             `yaml:"cgroup_io_bytes_per_sec"`
}

type lifecycle struct {
	TaskAcceptance         string `yaml:"task_acceptance"`
	AfterTask              string `yaml:"after_task"`
	DelegationDeadlineSecs int64  `yaml:"delegation_deadline_secs"`
	QueueDepth             any    `yaml:"queue_depth"`
	InputTimeoutSecs       any    `yaml:"input_timeout_secs"`
	Conversation           any    `yaml:"conversation"`
	MaxTaskReopens         any    `yaml:"max_task_reopens"`
	ShellGraceSecs         any    `yaml:"shell_grace_secs"`
	DeadlineNoticeSecs     any    `yaml:"deadline_notice_secs"`
	KeepWorking            any    `yaml:"keep_working"`
	DoneCheck              any    `yaml:"done_check"`
}

// defaults is a manifest before anything is read into it; the numbers are the
// format's, but workdir_max_files, which is ours.
func defaults() written {
	return written{
		Capabilities: capabilities{
			Limits:      limits{MemoryBytes: 536870912, TableElements: 100000, Instances: 1000, DeadlineSeconds: 600},
			Resources:   resources{WorkdirMaxBytes: 10737418240, WorkdirMaxFiles: 100000},
			Containment: string(Advisory),
		},
		Lifecycle: lifecycle{TaskAcceptance: "single", AfterTask: "exit", DelegationDeadlineSecs: 600},
	}
}

func (w *written) manifest() *Manifest {
	return &Manifest{
		Name:          w.Name,
		Version:       w.Version,
		MurVersion:    w.MurVersion,
		RequiresFiles: cleaned(w.RequiresFiles),
		Capabilities: Capabilities{
			SpawnAllow: w.Capabilities.Spawn.Allow,
			EnvAllow:   w.Capabilities.Env.Allow,
			Limits: Limits{
				MemoryBytes:   int64(w.Capabilities.Limits.MemoryBytes),
				TableElements: w.Capabilities.Limits.TableElements,
				Instances:     w.Capabilities.Limits.Instances,
				Deadline:      time.Duration(w.Capabilities.Limits.DeadlineSeconds) * time.Second,
			},
			Filesystem: w.Capabilities.Filesystem.manifest(),
			Resources: Resources{
				WorkdirMaxBytes: int64(w.Capabilities.Resources.WorkdirMaxBytes),
				WorkdirMaxFiles: w.Capabilities.Resources.WorkdirMaxFiles,
			},
			Containment: Containment(w.Capabilities.Containment),
		},
		Lifecycle: Lifecycle{
			TaskAcceptance:     w.Lifecycle.TaskAcceptance,
			AfterTask:          w.Lifecycle.AfterTask,
			DelegationDeadline: time.Duration(w.Lifecycle.DelegationDeadlineSecs) * time.Second,
		},
	}
}
