package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
)

const configLong = `Read and change settings. Only what you chose is in the file
(config/settings.json below Termio's home); everything else has its default.

  defaultAgent                     the agent that spawn starts without --agent
  sessionControl                   true or false: the sessions verbs (on); true
                                   puts the skill into agents' folders too
  liveStatus                       true or false: hooks at launch, and with true
                                   in agents' own config too (at launch)
  skill                            true or false: the skill, whatever
                                   sessionControl says (with sessionControl)
  link                             true or false: ~/.local/bin/termio (false)
  notifications.desktop            true or false: tell on the desktop (true)
  notifications.terminal           true or false: tell in attached terminals
                                   that show another session (true)
  notifications.bell               true or false: ring there too (true)
  notifications.command            a shell command that is told as well
  notifications.after              the shortest turn whose end is told (10s)
  scrollback                       lines kept of each new session (10000)
  shellMarks                       true or false: bash, zsh and fish in plain
                                   terminals tell where commands begin and end
                                   (true)
  restore                          always, ask or never: what was lost opens
                                   again after a restart of the machine (ask)
  detachKey                        the key that leaves attach, one with ctrl- or
                                   a function key (ctrl-\)
  maxDepth                         how far below the first session of its line
                                   one may be that sessions start (3)
  maxDescendants                   how many may live below the first one (32)
  acp.warm                         never, asked or always: agents over ACP that
                                   are started before their session (asked)
  acp.mcpServers                   MCP servers of all sessions over ACP, as JSON
  acp.userAgent                    what agents' requests say they come from
  acp.userAgentProviders           the providers of Codex that this is for
  acp.proxy                        the proxy that agents are given
  acp.draft                        true or false: offer agents version 2 of the
                                   protocol, which is a draft (false)
  projects.<dir>.setup             what makes a new worktree of that project
                                   ready, as in "npm ci"
  agents.<id>.bypassPermissions    true or false: always start it so (false)
  agents.<id>.command              the command to use instead of the manifest's

What a switch writes, and where: docs/settings.md. A switch that is turned off
takes out all that it put anywhere, and nothing else.`

// newConfig is `termio config`, alone the same as list.
func newConfig(app *App) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config <verb>",
		Short: "Read and change settings",
		Long:  configLong,
	}, func(*cobra.Command) error { return (&configListOptions{app: app}).run() })
	app.jsonFlag(cmd)
	cmd.AddCommand(newConfigGet(app), newConfigList(app), newConfigSet(app), newConfigUnset(app))
	return cmd
}

// setting is one key of the settings.
type setting struct {
	key    string
	get    func(config.Settings) string
	set    func(*config.Settings, string) error // "" gives the default back
	chosen func(config.Settings) bool
}

// optional is a setting whose value is chosen or not.
func optional[T any](key string, at func(*config.Settings) **T, parse func(string) (T, error), get func(config.Settings) string) setting {
	return setting{
		key: key, get: get,
		set:    func(s *config.Settings, v string) error { return setOptional(at(s), v, parse) },
		chosen: func(s config.Settings) bool { return *at(&s) != nil },
	}
}

// text is a setting that is not chosen where it is empty.
func text(key string, at func(*config.Settings) *string) setting {
	return setting{
		key:    key,
		get:    func(s config.Settings) string { return *at(&s) },
		set:    func(s *config.Settings, v string) error { *at(s) = v; return nil },
		chosen: func(s config.Settings) bool { return *at(&s) != "" },
	}
}

// settingsTable are the keys that are not an agent's, in the order they are
// listed.
func settingsTable() []setting {
	boolean := strconv.FormatBool
	type S = config.Settings
	return append([]setting{
		text("defaultAgent", func(s *S) *string { return &s.DefaultAgent }),
		optional("sessionControl", func(s *S) **bool { return &s.SessionControl }, parseBool, func(s S) string { return boolean(s.ControlsSessions()) }),
		optional("liveStatus", func(s *S) **bool { return &s.LiveStatus }, parseBool, func(s S) string {
			if s.LiveStatus == nil {
				return "at launch"
			}
			return boolean(*s.LiveStatus)
		}),
		optional("skill", func(s *S) **bool { return &s.Skill }, parseBool, func(s S) string {
			if s.Skill == nil {
				return boolean(s.InstallsSkill())
			}
			return boolean(*s.Skill)
		}),
		optional("link", func(s *S) **bool { return &s.Link }, parseBool, func(s S) string { return boolean(s.KeepsLink()) }),
		optional("notifications.desktop", func(s *S) **bool { return &s.Notifications.Desktop }, parseBool, func(s S) string { return boolean(s.Notifications.OnDesktop()) }),
		optional("notifications.terminal", func(s *S) **bool { return &s.Notifications.Terminal }, parseBool, func(s S) string { return boolean(s.Notifications.InTerminal()) }),
		optional("notifications.bell", func(s *S) **bool { return &s.Notifications.Bell }, parseBool, func(s S) string { return boolean(s.Notifications.Rings()) }),
		text("notifications.command", func(s *S) *string { return &s.Notifications.Command }),
		optional("notifications.after", func(s *S) **time.Duration { return &s.Notifications.After }, config.ParseAfter, func(s S) string { return s.Notifications.AfterTurn().String() }),
		optional("scrollback", func(s *S) **int { return &s.Scrollback }, parseLines, func(s S) string { return strconv.Itoa(s.ScrollbackLines()) }),
		optional("shellMarks", func(s *S) **bool { return &s.ShellMarks }, parseBool, func(s S) string { return boolean(s.MarksShells()) }),
		{"detachKey", S.Detach, setDetachKey, func(s S) bool { return s.DetachKey != "" }},
		{"restore", func(s S) string { return string(s.WhenRestarted()) }, setRestore, func(s S) bool { return s.Restore != "" }},
	}, append(acpSettingsTable(), fleetSettings()...)...)
}

// findSetting finds a key.
func findSetting(key string) (setting, error) {
	if found, ok, err := projectSetting(key); ok {
		return found, err
	}
	for _, s := range settingsTable() {
		if s.key == key {
			return s, nil
		}
	}
	if rest, ok := strings.CutPrefix(key, "agents."); ok {
		if id, name, ok := strings.Cut(rest, "."); ok && id != "" {
			return agentSetting(id, name, key)
		}
	}
	return setting{}, noSetting(key)
}

// settingsOf are all keys that have a value: those of the table, and those of
// the agents that something was chosen for.
func settingsOf(s config.Settings) []setting {
	list := settingsTable()
	ids := make([]string, 0, len(s.Agents))
	for id := range s.Agents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		for _, name := range []string{"bypassPermissions", "command"} {
			if found, err := agentSetting(id, name, "agents."+id+"."+name); err == nil {
				list = append(list, found)
			}
		}
	}
	return append(list, projectSettings(s)...)
}

func noSetting(key string) error {
	return api.Errorf(api.CodeBadRequest, "no setting %s; `termio config --help` lists them", quoted(key))
}

func agentSetting(id, name, key string) (setting, error) {
	change := func(edit func(*config.Agent, string) error) func(*config.Settings, string) error {
		return func(s *config.Settings, v string) error {
			agent := s.Agents[id]
			if err := edit(&agent, v); err != nil {
				return err
			}
			if s.Agents == nil {
				s.Agents = map[string]config.Agent{}
			}
			s.Agents[id] = agent
			return nil
		}
	}
	switch name {
	case "bypassPermissions":
		return setting{
			key,
			func(s config.Settings) string { return strconv.FormatBool(s.Agents[id].BypassPermissions) },
			change(func(a *config.Agent, v string) (err error) {
				a.BypassPermissions = false
				if v != "" {
					a.BypassPermissions, err = parseBool(v)
				}
				return err
			}),
			func(s config.Settings) bool { return s.Agents[id].BypassPermissions },
		}, nil
	case "command":
		return setting{
			key,
			func(s config.Settings) string { return s.Agents[id].Command },
			change(func(a *config.Agent, v string) error { a.Command = v; return nil }),
			func(s config.Settings) bool { return s.Agents[id].Command != "" },
		}, nil
	}
	return setting{}, noSetting(key)
}

func setOptional[T any](into **T, text string, parse func(string) (T, error)) error {
	if text == "" {
		*into = nil
		return nil
	}
	v, err := parse(text)
	if err == nil {
		*into = &v
	}
	return err
}

func parseBool(text string) (bool, error) {
	switch text {
	case "on":
		return true, nil
	case "off":
		return false, nil
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s is neither true nor false", quoted(text))
	}
	return v, nil
}

func parseLines(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > config.MaxScrollback {
		return 0, fmt.Errorf("%s is not a number of lines from 0 to %d", quoted(text), config.MaxScrollback)
	}
	return n, nil
}

func setDetachKey(s *config.Settings, text string) error {
	if err := config.CheckDetachKey(text); err != nil {
		return err
	}
	s.DetachKey = text
	return nil
}

func setRestore(s *config.Settings, text string) error {
	if text == "" { // back to the default
		s.Restore = ""
		return nil
	}
	r, err := config.ParseRestore(text)
	s.Restore = r
	return err
}

// settings reads the settings; what cannot be used there is said on standard
// error.
func (a *App) settings() (path string, s config.Settings, err error) {
	layout, err := a.layout()
	if err != nil {
		return "", s, err
	}
	s, problems := config.Load(layout.Settings(), a.Now())
	for _, p := range problems {
		fmt.Fprintf(a.Err, "warning: %v\n", p)
	}
	return layout.Settings(), s, nil
}

// saveSettings writes the settings to path.
func saveSettings(path string, s config.Settings) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save the settings: %w", err)
	}
	return config.Save(path, s)
}

// configReply is what get, list, set and unset print with --json: the settings
// by key, as text, and which of them were chosen.
type configReply struct {
	api.Head
	Settings map[string]string `json:"settings"`
	Chosen   []string          `json:"chosen"`
}

func (a *App) printSettings(s config.Settings, list ...setting) error {
	reply := configReply{api.OKHead(), map[string]string{}, []string{}}
	for _, one := range list {
		reply.Settings[one.key] = one.get(s)
		if one.chosen(s) {
			reply.Chosen = append(reply.Chosen, one.key)
		}
	}
	return a.printJSON(reply)
}
