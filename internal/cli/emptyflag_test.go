package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/termio-sh/termio/internal/api"
)

// Every flag of every command that takes a text refuses an empty one before the
// command does anything.
func TestAnEmptyFlagIsNotAFlagLeftOut(t *testing.T) {
	tried := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.PersistentPreRunE != nil && c.HasParent() || c.PreRunE != nil || c.PersistentPreRun != nil {
			t.Errorf("%s has a hook of its own", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "string", "stringArray", "stringSlice":
			default:
				return
			}
			alone := &cobra.Command{}
			alone.Flags().AddFlag(f)
			if alone.Flags().Set(f.Name, "") != nil {
				return // the flag itself refuses it
			}
			tried++
			err := noEmptyFlags(alone, nil)
			var e *api.Error
			if mayBeEmpty[f.Name] == (err != nil) {
				t.Errorf("%s --%s= : %v", c.CommandPath(), f.Name, err)
			} else if err != nil && (!errors.As(err, &e) || e.Code != api.CodeBadRequest) {
				t.Errorf("%s --%s= : %v is no bad_request", c.CommandPath(), f.Name, err)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(System()))
	if tried < 20 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// The whole command line stops there: the coordinator hears of nothing.
func TestAnEmptyAnswersTypesNothing(t *testing.T) {
	app := System()
	var out, errout bytes.Buffer
	app.Out, app.Err = &out, &errout
	app.Connect = nil // a call would panic
	code := app.execute(t.Context(), newRoot(app), []string{"sessions", "send", "1a2b3c4d", "1", "--answers", ""})
	if code != api.ExitError || !bytes.Contains(errout.Bytes(), []byte("--answers is empty")) {
		t.Errorf("code %d, %q", code, errout.String())
	}
}
