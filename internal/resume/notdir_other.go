//go:build !unix

package resume

import "io/fs"

var errNotDir = fs.ErrNotExist
