package transcript

import "os"

func openNow(path string) (*os.File, error) { return os.Open(path) }

// identityOf cannot tell files apart without opening them; what is before a
// mark is compared in any case.
func identityOf(os.FileInfo) identity { return identity{} }
