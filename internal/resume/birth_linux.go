package resume

import (
	"time"

	"golang.org/x/sys/unix"
)

// Birth is when a file was made; zero where the file system does not keep it.
// It is never the time of its last change, which moves as a chat grows.
func Birth(path string) time.Time {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_SYNC_AS_STAT, unix.STATX_BTIME, &st) != nil || st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
}
