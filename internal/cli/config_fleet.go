package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/internal/config"
)

// fleetSettings are the keys that bound sessions which start sessions.
func fleetSettings() []setting {
	type S = config.Settings
	return []setting{
		optional("maxDepth", func(s *S) **int { return &s.MaxDepth }, parseLimit, func(s S) string { return strconv.Itoa(s.SpawnDepth()) }),
		optional("maxDescendants", func(s *S) **int { return &s.MaxDescendants }, parseLimit, func(s S) string { return strconv.Itoa(s.SpawnDescendants()) }),
	}
}

func parseLimit(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is no number", quoted(text))
	}
	return n, config.CheckLimit(n)
}

// projectSetting is what is set for one project: projects.<DIR>.setup.
func projectSetting(key string) (setting, bool, error) {
	rest, ok := strings.CutPrefix(key, "projects.")
	if !ok {
		return setting{}, false, nil
	}
	dir, ok := strings.CutSuffix(rest, ".setup")
	if servers, is := strings.CutSuffix(rest, ".mcpServers"); is {
		return projectServers(servers)
	}
	if !ok {
		return setting{}, true, noSetting(key)
	}
	if !filepath.IsAbs(dir) {
		return setting{}, true, fmt.Errorf("%s is no absolute directory; as in: termio config set projects./home/me/app.setup \"npm ci\"", quoted(dir))
	}
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return setting{
		key: "projects." + dir + ".setup",
		get: func(s config.Settings) string { return s.Projects[dir].Setup },
		set: func(s *config.Settings, v string) error {
			p := s.Projects[dir]
			p.Setup = v
			if s.Projects == nil {
				s.Projects = map[string]config.Project{}
			}
			s.Projects[dir] = p
			return nil
		},
		chosen: func(s config.Settings) bool { return s.Projects[dir].Setup != "" },
	}, true, nil
}

// projectSettings are those that something was chosen for.
func projectSettings(s config.Settings) []setting {
	var list []setting
	for _, dir := range slices.Sorted(maps.Keys(s.Projects)) {
		for _, name := range []string{".setup", ".mcpServers"} {
			if found, _, err := projectSetting("projects." + dir + name); err == nil && found.chosen(s) {
				list = append(list, found)
			}
		}
	}
	return list
}
