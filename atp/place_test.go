package atp

import "testing"

func TestPlace(t *testing.T) {
	m := &Manifest{ConfigHome: &ConfigHome{Env: "X_HOME", Path: "~/.x"}}
	for _, c := range []struct{ path, home, value, want string }{
		{"~/.x/settings.json", "/home/u", "", "/home/u/.x/settings.json"},
		{"~/.x/settings.json", "/home/u", "/opt/x", "/opt/x/settings.json"},
		{"~/.x/settings.json", "/home/u", "/opt/x/", "/opt/x/settings.json"},
		{"~/.x/settings.json", "/home/u", "~/y", "/home/u/y/settings.json"},
		{"~/.x", "/home/u", "/opt/x", "/opt/x"},
		{"~/.x/settings.json", "/home/u", "relative", "/home/u/.x/settings.json"},
		{"~/.xy/settings.json", "/home/u", "/opt/x", "/home/u/.xy/settings.json"},
		{"/etc/x", "/home/u", "/opt/x", "/etc/x"},
		{"~/.x/a", "", "", ""},
		{"~/.x/a", "", "/opt/x", "/opt/x/a"},
	} {
		getenv := func(name string) string { return map[string]string{"HOME": c.home, "X_HOME": c.value}[name] }
		if got := m.Place(c.path, getenv); got != c.want {
			t.Errorf("%q with home %q and X_HOME=%q is placed at %q, want %q", c.path, c.home, c.value, got, c.want)
		}
	}
}
