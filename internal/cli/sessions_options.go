package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type optionsOptions struct {
	app   *App
	scope scope
}

func newOptions(app *App) *cobra.Command {
	o := &optionsOptions{app: app}
	cmd := &cobra.Command{
		Use:   "options <link> [<name> | <name>=<value>...]",
		Short: "Show and set the model, mode and effort of a session over ACP",
		Long: `Show what a session over the Agent Client Protocol can be set to, and set it. A
<name> is an option's own id, or model, collaboration, mode, effort or fast,
whatever the agent calls that. One name alone prints its values; name=value sets
it, also to a model that is not listed. The model is set first, then the modes,
the effort, fast, and the rest. The agent is started if need be.

A model, collaboration mode, effort or fast that a person sets is remembered:
the agent's next sessions begin with it. An empty value (name=) forgets that.
An agent's own mode is about what it may do, and is never remembered.`,
		Example: `  termio sessions options 1a2b3c4d
  termio sessions options 1a2b3c4d model
  termio sessions options 1a2b3c4d model=opus effort=high --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(api.CodeNoTarget, noTarget)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0], args[1:]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	return cmd
}

func (o *optionsOptions) run(ctx context.Context, target string, args []string) error {
	a := o.app
	set, shown, err := assignments(args)
	if err != nil {
		return err
	}
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.OptionsReply
	if err := a.call(ctx, api.VerbOptions, api.OptionsRequest{Caller: caller, Target: target, Set: set, Start: true}, &reply); err != nil {
		return err
	}
	switch {
	case a.json:
		return a.printJSON(reply)
	case shown != "":
		return o.values(reply, shown)
	case len(reply.Options) == 0:
		return a.print(reply.Agent + " offers no options\n")
	}
	var rows [][]field
	for _, one := range reply.Options {
		rows = append(rows, []field{
			{oneLine(nameOf(one)), plain}, {oneLine(one.Value), green}, {oneLine(strings.Join(valuesOf(one), ", ")), dim},
		})
	}
	return a.print(a.table(rows))
}

// assignments reads name=value words, or the one name that is to be shown.
func assignments(words []string) (set []api.OptionSetting, shown string, err error) {
	for _, w := range words {
		if err := validText("option", w); err != nil {
			return nil, "", err
		}
		name, value, ok := strings.Cut(w, "=")
		switch {
		case name == "" || !ok && len(words) > 1:
			return nil, "", usagef(api.CodeBadRequest, "%s is no <name>=<value>", quoted(w))
		case !ok:
			return nil, name, nil
		}
		set = append(set, api.OptionSetting{Name: name, Value: value})
	}
	return set, "", nil
}

// nameOf is what people call an option: its role, else its id.
func nameOf(o api.Option) string {
	if o.Role != "" && o.Role != o.ID {
		return o.Role + " (" + o.ID + ")"
	}
	return o.ID
}

func valuesOf(o api.Option) (out []string) {
	if o.Type == "boolean" {
		return []string{"true", "false"}
	}
	for _, c := range o.Choices {
		out = append(out, c.Value)
	}
	return out
}

// values prints what one option can be set to.
func (o *optionsOptions) values(reply api.OptionsReply, name string) error {
	a := o.app
	for _, by := range []func(api.Option) bool{
		func(one api.Option) bool { return one.ID == name },
		func(one api.Option) bool { return one.Role != "" && strings.EqualFold(one.Role, name) },
	} {
		for _, one := range reply.Options {
			if !by(one) {
				continue
			}
			var rows [][]field
			for _, c := range choicesOf(one) {
				mark := " "
				if c.Value == one.Value {
					mark = "*"
				}
				rows = append(rows, []field{{mark, green}, {oneLine(c.Value), plain}, {oneLine(c.Name), dim}})
			}
			return a.print(a.table(rows))
		}
	}
	var names []string
	for _, one := range reply.Options {
		names = append(names, one.ID)
	}
	return usagef(api.CodeBadRequest, "there is no option %s; %s offers: %s", quoted(name), reply.Agent, strings.Join(names, ", "))
}

func choicesOf(o api.Option) []api.OptionChoice {
	if o.Type != "boolean" {
		return o.Choices
	}
	return []api.OptionChoice{{Value: "true", Name: "on"}, {Value: "false", Name: "off"}}
}
