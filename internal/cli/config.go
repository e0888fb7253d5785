package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/vt"
)

const configLong = `Read and change settings. Only what you chose is in the file
(config/settings.json below Termio's home); everything else has its default.

  defaultAgent                     the agent that spawn starts without --agent
  sessionControl                   true or false: the sessions verbs (true)
  liveStatus                       true or false: hooks at launch, and with true
                                   in agents' own config too (at launch)
  skill                            true or false: the skill for agents (false)
  scrollback                       lines kept of each new session (10000)
  detachKey                        the key that leaves attach, one with ctrl- or
                                   a function key (ctrl-\)
  agents.<id>.bypassPermissions    true or false: always start it so (false)
  agents.<id>.command              the command to use instead of the manifest's`

// newConfig is `termio config`, alone the same as get.
func newConfig(app *App) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config <verb>",
		Short: "Read and change settings",
		Long:  configLong,
	}, func(*cobra.Command) error { return (&configGetOptions{app: app}).run("") })
	app.jsonFlag(cmd)
	cmd.AddCommand(newConfigGet(app), newConfigSet(app))
	return cmd
}

// setting is one key of the settings.
type setting struct {
	get func(config.Settings) string
	set func(*config.Settings, string) error // "" gives the default back
}

// settingNames are the keys that are not an agent's.
var settingNames = []string{"defaultAgent", "sessionControl", "liveStatus", "skill", "scrollback", "detachKey"}

// findSetting finds a key.
func findSetting(key string) (setting, error) {
	switch key {
	case "defaultAgent":
		return setting{
			func(s config.Settings) string { return s.DefaultAgent },
			func(s *config.Settings, v string) error { s.DefaultAgent = v; return nil },
		}, nil
	case "sessionControl":
		return setting{
			func(s config.Settings) string { return strconv.FormatBool(s.ControlsSessions()) },
			func(s *config.Settings, v string) error { return setOptional(&s.SessionControl, v, parseBool) },
		}, nil
	case "liveStatus":
		return setting{
			func(s config.Settings) string {
				if s.LiveStatus == nil {
					return "at launch"
				}
				return strconv.FormatBool(*s.LiveStatus)
			},
			func(s *config.Settings, v string) error { return setOptional(&s.LiveStatus, v, parseBool) },
		}, nil
	case "skill":
		return setting{
			func(s config.Settings) string { return strconv.FormatBool(s.InstallsSkill()) },
			func(s *config.Settings, v string) error { return setOptional(&s.Skill, v, parseBool) },
		}, nil
	case "scrollback":
		return setting{
			func(s config.Settings) string { return strconv.Itoa(s.ScrollbackLines()) },
			func(s *config.Settings, v string) error { return setOptional(&s.Scrollback, v, parseLines) },
		}, nil
	case "detachKey":
		return setting{config.Settings.Detach, setDetachKey}, nil
	}
	if rest, ok := strings.CutPrefix(key, "agents."); ok {
		if id, name, ok := strings.Cut(rest, "."); ok && id != "" {
			return agentSetting(id, name, key)
		}
	}
	return setting{}, noSetting(key)
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
			func(s config.Settings) string { return strconv.FormatBool(s.Agents[id].BypassPermissions) },
			change(func(a *config.Agent, v string) (err error) {
				a.BypassPermissions = false
				if v != "" {
					a.BypassPermissions, err = parseBool(v)
				}
				return err
			}),
		}, nil
	case "command":
		return setting{
			func(s config.Settings) string { return s.Agents[id].Command },
			change(func(a *config.Agent, v string) error { a.Command = v; return nil }),
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
	if text != "" {
		key, err := vt.ParseKey(text)
		if err != nil {
			return err
		}
		if !leaves(key) {
			return fmt.Errorf("%s is a key that programs need; take a function key or one with ctrl-, as in ctrl-] or f12", quoted(text))
		}
	}
	s.DetachKey = text
	return nil
}

// leaves reports whether a key can be spared for leaving attach: a function
// key, or a character with Ctrl that is not the same as Tab, Enter or Escape.
func leaves(k vt.Key) bool {
	if k.Code >= vt.KeyF1 && k.Code <= vt.KeyF12 {
		return true
	}
	return k.Mods&vt.ModCtrl != 0 && (k.Code != vt.KeyRune || !strings.ContainsRune("im[", k.Rune))
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

type configGetOptions struct{ app *App }

func newConfigGet(app *App) *cobra.Command {
	o := &configGetOptions{app: app}
	cmd := &cobra.Command{
		Use:   "get [<key>]",
		Short: "Print a setting, or all",
		Long: `Print the value of a setting, the default where you chose none. All of them
without <key>.`,
		Example: `  termio config get detachKey`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(api.CodeBadRequest, "one setting at a time: %s is one too many", quoted(args[1]))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(strings.Join(args, "")) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// configReply is what get and set print with --json: the settings by key, as
// text.
type configReply struct {
	api.Head
	Settings map[string]string `json:"settings"`
}

func (a *App) printSettings(s config.Settings, keys ...string) error {
	reply := configReply{api.OKHead(), map[string]string{}}
	for _, key := range keys {
		found, err := findSetting(key)
		if err != nil {
			return err
		}
		reply.Settings[key] = found.get(s)
	}
	return a.printJSON(reply)
}

func (o *configGetOptions) run(key string) error {
	_, s, err := o.app.settings()
	if err != nil {
		return err
	}
	if key != "" {
		found, err := findSetting(key)
		if err != nil {
			return err
		}
		if o.app.json {
			return o.app.printSettings(s, key)
		}
		return o.app.print(found.get(s) + "\n")
	}
	keys := slices.Clone(settingNames)
	for id := range s.Agents {
		keys = append(keys, "agents."+id+".bypassPermissions", "agents."+id+".command")
	}
	slices.Sort(keys[len(settingNames):])
	if o.app.json {
		return o.app.printSettings(s, keys...)
	}
	rows := make([][]field, len(keys))
	for i, key := range keys {
		found, err := findSetting(key)
		if err != nil {
			return err
		}
		rows[i] = []field{{key, plain}, {oneLine(found.get(s)), plain}}
	}
	return o.app.print(o.app.table(rows))
}

type configSetOptions struct{ app *App }

func newConfigSet(app *App) *cobra.Command {
	o := &configSetOptions{app: app}
	cmd := &cobra.Command{
		Use:   "set <key> <value>",
		Short: "Change a setting",
		Long: `Change a setting. An empty value gives the default back. A value that begins
with - goes after --.`,
		Example: `  termio config set detachKey ctrl-]
  termio config set agents.claudeCode.bypassPermissions true
  termio config set detachKey ""`,
		Args: exactArgs(2, api.CodeBadRequest, "give the setting and its value"),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0], args[1]) },
	}
	app.jsonFlag(cmd)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef(api.CodeBadRequest, "%v; a value that begins with - goes after --: `termio config set <key> -- <value>`", err)
	})
	return cmd
}

// knownAgent checks the agent that a setting names, unless it is about to be
// given back.
func (o *configSetOptions) knownAgent(key, value string) error {
	id := value
	if rest, of := strings.CutPrefix(key, "agents."); of {
		id, _, _ = strings.Cut(rest, ".")
	} else if key != "defaultAgent" {
		return nil
	}
	if value == "" {
		return nil
	}
	layout, err := o.app.layout()
	if err != nil {
		return err
	}
	catalog, _ := atp.Load(layout.AgentsDir())
	if _, known := catalog.ByID(id); !known {
		return api.Errorf(api.CodeBadAgent, "%s: there is no agent %s; there are: %s", key, quoted(id), strings.Join(catalog.IDs(), ", "))
	}
	return nil
}

func (o *configSetOptions) run(key, value string) error {
	found, err := findSetting(key)
	if err != nil {
		return err
	}
	if err := validText("value", value); err != nil {
		return err
	}
	if err := o.knownAgent(key, value); err != nil {
		return err
	}
	path, s, err := o.app.settings()
	if err != nil {
		return err
	}
	if err := found.set(&s, value); err != nil {
		return api.Errorf(api.CodeBadRequest, "%s: %v", key, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save the settings: %w", err)
	}
	if err := config.Save(path, s); err != nil {
		return err
	}
	if o.app.json {
		return o.app.printSettings(s, key)
	}
	return nil
}
