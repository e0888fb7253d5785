package history

import "os"

// inodeOf cannot be known without opening the file; size and time tell.
func inodeOf(os.FileInfo) uint64 { return 0 }
