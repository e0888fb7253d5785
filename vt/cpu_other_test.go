//go:build !unix

package vt

import "time"

// cpuTime is not known here; the benchmarks leave it out.
func cpuTime() time.Duration { return 0 }
