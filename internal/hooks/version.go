package hooks

import (
	"cmp"
	"strconv"
	"strings"
)

// compareVersions orders two version numbers by their parts; what follows a
// "-" makes a version earlier than the same without.
func compareVersions(a, b string) int {
	numbers := func(v string) ([]string, string) {
		v, _, _ = strings.Cut(v, "+")
		v, pre, _ := strings.Cut(strings.TrimPrefix(v, "v"), "-")
		return strings.Split(v, "."), pre
	}
	an, apre := numbers(a)
	bn, bpre := numbers(b)
	part := func(n []string, i int) int {
		if i >= len(n) {
			return 0
		}
		v, _ := strconv.Atoi(n[i]) // what is no number counts as 0
		return v
	}
	for i := range max(len(an), len(bn)) {
		if c := cmp.Compare(part(an, i), part(bn, i)); c != 0 {
			return c
		}
	}
	if (apre == "") != (bpre == "") {
		if apre == "" {
			return 1
		}
		return -1
	}
	return strings.Compare(apre, bpre)
}
