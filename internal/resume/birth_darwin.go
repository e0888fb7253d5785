package resume

import (
	"syscall"
	"time"
)

// Birth is when a file was made; zero where the file system does not keep it.
func Birth(path string) time.Time {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || st.Birthtimespec.Sec == 0 {
		return time.Time{}
	}
	return time.Unix(st.Birthtimespec.Unix())
}
