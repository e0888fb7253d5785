package status

import "time"

// Machine is the reducer of one session. It is a plain value behind a pointer
// and not safe for concurrent use.
type Machine struct {
	cfg Config
	st  Status
}

// New gives the machine of a session that was just started: idle.
func New(cfg Config, at time.Time) *Machine {
	return &Machine{cfg: cfg, st: Status{State: Idle, Since: at, Cause: Cause{Channel: ChannelLaunch}}}
}

// Apply takes one event and gives the changes it made, in order, those that
// were due before it (see Tick) first.
func (m *Machine) Apply(ev Event) []Change { return nil }

// Deadline is when Tick must be called next if nothing happens; false when
// only an event can change anything.
func (m *Machine) Deadline() (time.Time, bool) { return time.Time{}, false }

// Tick makes the changes that are due at now.
func (m *Machine) Tick(now time.Time) []Change { return nil }

// Status is the present state.
func (m *Machine) Status() Status { return m.st }
