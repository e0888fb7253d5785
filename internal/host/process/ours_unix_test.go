//go:build unix

package process

import (
	"strings"
	"testing"
)

func TestIsOurCommand(t *testing.T) {
	for line, want := range map[string]bool{
		"/opt/bin/termio-core daemon run": true,
		"termio daemon run":               true,
		"/opt/bin/termio-host":            true,
		"/opt/bin/termio-host acp":        true,
		"/opt/bin/termio-core host":       true,
		"termio sessions list":            false,
		"termio daemon restart":           false,
		"sh -c termio daemon run":         false,
		"termio-host x":                   false,
		"bash":                            false,
	} {
		if isOurCommand(strings.Fields(line)) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
	if isOurCommand(nil) {
		t.Error("nothing at all")
	}
}
