//go:build unix

package attach

import (
	"os"
	"testing"

	"github.com/termio-sh/termio/internal/testkit/console"
)

// A picture of the program is on the outer terminal that can show it, also if
// it came before the viewer did, and a word stands for it on another.
func TestImagesReachTheViewer(t *testing.T) {
	work := t.TempDir()
	// One pixel over 4×2 cells, at the third column of the second row.
	socket := startHost(t, work, `stty -echo; printf '\n\r  \033_Ga=T,f=24,s=1,v=1,c=4,r=2,i=7;AAAA\033\\ready\r\n'; exec cat`, 40, 10)

	a := open(t, 40, 10, t.TempDir(), "env", "TERMIO_PICTURES=kitty", os.Args[0], attachCommand, socket)
	a.see("ready")
	a.wait("the picture", func(console.View) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		all := a.vt.Images()
		return len(all) == 1 && all[0].X == 2 && all[0].Y == 1 && all[0].Cols == 4 && all[0].Rows == 2
	})
	a.Type("\x1c")
	a.exits(0)
	a.restored()

	b := openAttach(t, socket, 40, 10)
	b.see("[picture 1×1]")
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.vt.Images()) > 0 {
		t.Error("a picture was sent to a terminal that shows none")
	}
}
