package daemon

import (
	"os"
	"path/filepath"

	"github.com/termio-sh/termio/internal/commandlink"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/shellenv"
)

// tendLink keeps the command on the PATH where the user wants it. Switching it
// off is done by `termio unlink` itself: what leads to another home's program
// is not this coordinator's.
func (d *Daemon) tendLink(s config.Settings) {
	home := shellenv.Get(d.o.Env, "HOME")
	if !s.KeepsLink() || !filepath.IsAbs(home) {
		return
	}
	self, err := os.Executable()
	if err == nil {
		if real, e := filepath.EvalSymlinks(self); e == nil {
			self = real
		}
		var changed bool
		if changed, err = commandlink.Heal(self, commandlink.Path(home)); changed {
			d.log.Info("the command on the PATH: put right", "path", commandlink.Path(home), "program", self)
		}
	}
	if err != nil {
		d.log.Warn("the command on the PATH: left as it is", "path", commandlink.Path(home), "why", err.Error())
	}
}
