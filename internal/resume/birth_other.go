//go:build !linux && !darwin

package resume

import "time"

// Birth is when a file was made; zero where that is not known.
func Birth(string) time.Time { return time.Time{} }
