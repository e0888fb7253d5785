package acphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// sets are what the agent was set to, in order.
func (r *rig) sets() (out []string) {
	for _, line := range acpagent.Heard(r.heardLog) {
		method, params, _ := strings.Cut(line, " ")
		var q struct {
			ConfigID, ModeID, ModelID string
			Value                     json.RawMessage
		}
		switch method {
		case acp.MethodSetSessionConfigOption, acp.MethodSetSessionMode, methodSetModel:
			if err := json.Unmarshal([]byte(params), &q); err != nil {
				r.t.Fatal(err)
			}
			out = append(out, strings.TrimSuffix(method[len("session/set_"):], "_option")+" "+q.ConfigID+q.ModeID+q.ModelID+string(q.Value))
		}
	}
	return out
}

func settings(words ...string) (out []Setting) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		out = append(out, Setting{name, value})
	}
	return out
}

const modesAndModels = `{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan"}]}`

// Rows 178–184: a session that is there is set, by the agent's names or by
// roles, in the order of roles; what it is set to already is not sent.
func TestRow178to184Set(t *testing.T) {
	for _, c := range []struct {
		name, want string
		agent      acpagent.Config
		set        []Setting
		bad        string // part of the error
	}{
		{
			"in order, by role", `config model"b",config collaboration_mode"plan",config effort"xhigh",config fast-modetrue`,
			acpagent.Config{Options: json.RawMessage(everyOption)},
			settings("fast=on", "effort=X", "collaboration=PLAN", "MODEL=B"), "",
		},
		{"unchanged", "", acpagent.Config{Options: json.RawMessage(everyOption)}, settings("model=a", "effort=low", "fast=no"), ""},
		{"a free model id", `config model"mine/x"`, acpagent.Config{Options: json.RawMessage(everyOption)}, settings("model=mine/x"), ""},
		{"no such value, nothing is set", "", acpagent.Config{Options: json.RawMessage(everyOption)}, settings("model=b", "fast-mode=maybe"), "it can be: true, false"},
		{"no such option", "", acpagent.Config{Options: json.RawMessage(everyOption)}, settings("model=b", "speed=9"), "the agent offers: model, collaboration_mode, effort, fast-mode"},
		{"no options at all", "", acpagent.Config{}, settings("model=b"), "the agent offers none"},
		{"modes", `mode plan`, acpagent.Config{Modes: json.RawMessage(modesAndModels)}, settings("mode=Plan"), ""},
		{"the older models", `model m2`, acpagent.Config{Models: json.RawMessage(`{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"One"},{"modelId":"m2","name":"Two"}]}`)}, settings("model=two"), ""},
		{
			"a model that only the older list has", `model c`,
			acpagent.Config{Options: json.RawMessage(everyOption), Models: json.RawMessage(`{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"},{"modelId":"c","name":"C"}]}`)},
			settings("model=c"), "",
		},
		{"refused", `config model"b"`, acpagent.Config{
			Options: json.RawMessage(everyOption), Fail: map[string]*acp.Error{acp.MethodSetSessionConfigOption: acp.Errorf(-32603, "not today")},
		}, settings("model=b"), "not today"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.agent, nil)
			done, err := r.s.Set(t.Context(), c.set)
			if c.bad == "" && (err != nil || len(done) != len(c.set)) || c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
				t.Errorf("%+v, %v", done, err)
			}
			if got := strings.Join(r.sets(), ","); got != c.want {
				t.Errorf("sent %s, want %s", got, c.want)
			}
			if n := len(r.all(EventConfig)); n != len(r.sets()) && c.bad == "" {
				t.Errorf("%d times told", n)
			}
			if r.heard("session/prompt") != 0 {
				t.Error("a prompt was sent")
			}
		})
	}
}

// What a session is set to holds when its agent is started again, and so does
// what the agent changes by itself; a mode is followed.
func TestSettingsOutliveTheAgent(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Options: json.RawMessage(everyOption), Modes: json.RawMessage(modesAndModels), Caps: []string{"load"}}, nil)
		if _, err := r.s.Set(t.Context(), settings("model=b", "effort=high", "mode=plan")); err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(strings.ReplaceAll(everyOption, "\n", ""), `"currentValue":"low"`, `"currentValue":"xhigh"`, 1)
		changed = strings.Replace(changed, `"currentValue":"a"`, `"currentValue":"b"`, 1)
		r.prompt(`update {"sessionUpdate":"config_option_update","configOptions":` + changed + `}` + "\n" +
			`update {"sessionUpdate":"current_mode_update","currentModeId":"ask"}` + "\nsay x")
		before := len(r.sets())
		r.prompt("die 1")
		r.prompt("say y")
		if got := strings.Join(r.sets()[before:], ","); got != `config model"b",config effort"xhigh"` {
			t.Errorf("set again: %s", got)
		}
		if o, ok := r.s.config.ofRole(RoleMode); !ok || o.Value != "ask" {
			t.Errorf("the mode is %+v", o)
		}
	})
}

// A session is opened without a prompt, once, however many ask; an agent that
// nothing was said to is not asked to go on with its session.
func TestOpenWithoutAPrompt(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Caps: []string{"resume", "delete"}, Options: json.RawMessage(everyOption), Delay: map[string]time.Duration{"session/new": time.Second}}, nil)
		errs := make(chan error, 3)
		for range 3 {
			go func() { errs <- r.s.Open(t.Context()) }()
		}
		for range 3 {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		if r.heard("initialize") != 1 || r.heard("session/new") != 1 {
			t.Fatalf("opened %d times", r.heard("session/new"))
		}
		time.Sleep(restTime + time.Second) // it is let go
		if r.heard("session/delete") != 1 {
			t.Error("the empty session was not deleted")
		}
		if _, live := r.s.Options(); live {
			t.Fatal("it is still there")
		}
		if end := r.prompt("say x"); end.Type != EventCompleted || r.heard("session/new") != 2 || r.heard("session/resume") != 0 {
			t.Errorf("%+v; new %d, resume %d", end, r.heard("session/new"), r.heard("session/resume"))
		}
		r.s.Close()
		if r.heard("session/delete") != 1 {
			t.Error("a session in which something was said was deleted")
		}
		if err := r.s.Open(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("opened after the end: %v", err)
		}
	})
	bubble(t, "closed meanwhile", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Hang: []string{"session/new"}}, nil)
		done := make(chan error, 1)
		go func() { done <- r.s.Open(context.Background()) }()
		time.Sleep(time.Second)
		start := time.Now()
		r.s.Close()
		if err := <-done; !errors.Is(err, ErrClosed) || time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// Rows 179, 180, and the older lists of models: what a session can be set to,
// of every agent's shapes, with its roles.
func TestRow179Options(t *testing.T) {
	for _, c := range []struct{ name, options, modes, unknown, meta, want string }{
		{
			"roles come first", everyOption[:1] + `{"id":"z","name":"Z","type":"boolean","currentValue":true},` + everyOption[1:], "", "", "",
			"model:model=a[a b] collaboration:collaboration_mode=default[default plan] effort:effort=low[low xhigh high] fast:fast-mode=false[] :z=true[]",
		},
		{"modes where no option stands for them", "[]", modesAndModels, "", "", "mode:mode=ask[ask plan]"},
		{"not where one does", `[{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}]`, modesAndModels, "", "", "mode:m=x[x]"},
		{"nor the same values under another name", `[{"id":"thought_level","name":"Thinking","category":"thought_level","type":"select","currentValue":"ask","options":[{"value":"ask","name":"A"},{"value":"plan","name":"P"}]}]`, modesAndModels, "", "", "effort:thought_level=ask[ask plan]"},
		{"the older list", "[]", "", `{"models":{"current":"p/b","available_models":[{"id":"p/a","label":"A"},{"value":"p/b"}]}}`, "", "model:model=p/b[p/a p/b]"},
		{"in the meta", "[]", "", "", `{"opencode":{"models":{"availableModels":[{"model_id":"q:a"}]}}}`, "model:model=q:a[q:a]"},
		{"with more than the option", everyOption, "", `{"models":{"availableModels":[{"id":"a"},{"id":"b"},{"id":"c"}]}}`, "", "model:model=a[a b c] collaboration:collaboration_mode=default[default plan] effort:effort=low[low xhigh high] fast:fast-mode=false[]"},
		{"as many: the option", everyOption, "", `{"models":{"availableModels":[{"id":"c"},{"id":"d"}]}}`, "", "model:model=a[a b] collaboration:collaboration_mode=default[default plan] effort:effort=low[low xhigh high] fast:fast-mode=false[]"},
		{"efforts in brackets are no models", everyOption, "", `{"models":{"availableModels":[{"id":"a[low]"},{"id":"a[high]"},{"id":"b[low]"}]}}`, "", "model:model=a[a b] collaboration:collaboration_mode=default[default plan] effort:effort=low[low xhigh high] fast:fast-mode=false[]"},
		{"a current one that is not listed", `[{"id":"model","name":"Model","type":"select","currentValue":"x","options":[{"value":"a","name":"A"}]}]`, "", "", "", "model:model=x[x a]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{Models: modelList([]byte(c.unknown), []byte(c.meta))}
			if err := acp.Decode([]byte(c.options), &config.Options); err != nil {
				t.Fatal(err)
			}
			if err := acp.Decode([]byte(c.modes), &config.Modes); err != nil {
				t.Fatal(err)
			}
			// As the journal tells it to a later life.
			var facts Facts
			facts.Apply(config.event(EventReady))
			for _, config := range []Config{config, facts.Config} {
				var got []string
				for _, o := range config.Of() {
					var values []string
					for _, k := range o.Choices {
						values = append(values, k.Value)
					}
					got = append(got, fmt.Sprintf("%s:%s=%s%v", o.Role, o.ID, o.Value, values))
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("%v, want %s", got, c.want)
				}
			}
		})
	}
}

// What stands beside a conversation is there for its readers.
func TestFacts(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Options: json.RawMessage(everyOption)}, nil)
		r.prompt(`update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact","description":"d"}]}` + "\n" +
			`update {"sessionUpdate":"plan","entries":[{"content":"c","status":"pending","priority":"low"}]}` + "\n" +
			`update {"sessionUpdate":"usage_update","used":10,"size":200}`)
		var f Facts
		for _, ev := range r.all("") {
			f.Apply(ev)
		}
		if !strings.Contains(string(f.Commands), "compact") || !strings.Contains(string(f.Plan), `"c"`) || f.Used == nil || *f.Used != 10 || *f.Size != 200 {
			t.Errorf("%+v", f)
		}
		if !slices.ContainsFunc(f.Config.Of(), func(o Option) bool { return o.Role == RoleModel && o.Value == "a" }) {
			t.Errorf("%+v", f.Config)
		}
	})
}
