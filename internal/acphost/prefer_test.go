package acphost

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

const everyOption = `[
 {"id":"model","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]},
 {"id":"collaboration_mode","name":"Mode","type":"select","currentValue":"default","options":[{"value":"default","name":"D"},{"value":"plan","name":"P"}]},
 {"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"low","options":[{"value":"low","name":"L"},{"value":"xhigh","name":"X"},{"value":"high","name":"H"}]},
 {"id":"fast-mode","name":"Fast","category":"model_config","type":"boolean","currentValue":false}]`

// Rows 178–184: what is set, in which order, and what is not sent at all.
func TestRow178to184Preferences(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name   string
		prefer Preferences
		config string
		want   string
	}{
		{"all, in order", Preferences{Model: "b", Collaboration: "plan", Effort: "high", Fast: &yes}, everyOption, `model="b" collaboration_mode="plan" effort="high" fast-mode=true`},
		{"unchanged", Preferences{Model: "a", Collaboration: "default", Effort: "low", Fast: &no}, everyOption, ""},
		{"a free model id", Preferences{Model: "mine/x"}, everyOption, `model="mine/x"`},
		{"not offered", Preferences{Collaboration: "auto", Effort: "huge"}, everyOption, ""},
		{"highest", Preferences{Highest: true}, everyOption, `effort="xhigh"`},
		{"explicit beats highest", Preferences{Highest: true, Effort: "high"}, everyOption, `effort="high"`},
		{"an unknown level", Preferences{Highest: true}, strings.ReplaceAll(everyOption, `"value":"high"`, `"value":"galaxy"`), ""},
		{"no options", Preferences{Model: "b", Highest: true, Fast: &yes}, `[]`, ""},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, acpagent.Config{Options: json.RawMessage(c.config)}, func(o *Options) { o.Prefer = c.prefer })
			if end := r.prompt("say x"); end.Type != EventCompleted {
				t.Fatalf("%+v", end)
			}
			var got []string
			for _, line := range acpagent.Heard(r.heardLog) {
				if params, ok := strings.CutPrefix(line, "session/set_config_option "); ok {
					var q struct {
						ConfigID string
						Value    json.RawMessage
					}
					if err := json.Unmarshal([]byte(params), &q); err != nil {
						t.Fatal(err)
					}
					got = append(got, q.ConfigID+"="+string(q.Value))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("set %v, want %s", got, c.want)
			}
		})
	}
	bubble(t, "refused", func(t *testing.T) {
		r := newRig(t, acpagent.Config{
			Options: json.RawMessage(everyOption), Fail: map[string]*acp.Error{"session/set_config_option": acp.Errorf(-32603, "no")},
		}, func(o *Options) { o.Prefer = Preferences{Model: "b"} })
		if end := r.prompt("say x"); content(end) != "x" {
			t.Errorf("%+v", end)
		}
	})
}

// Rows 179, 180: the models, each once, with the current one among them.
func TestRow179Models(t *testing.T) {
	var config []acp.SessionConfigOption
	if err := acp.Decode([]byte(`[
	 {"id":"x","name":"Other","type":"select","currentValue":"q","options":[{"value":"q","name":"Q"}]},
	 {"id":"m","name":"AI Model","type":"select","currentValue":"gone","options":[
	  {"group":"g","name":"Group","options":[{"value":"a","name":"A"},{"value":"a","name":"Again"},{"value":"c","name":"a"}]}]}]`), &config); err != nil {
		t.Fatal(err)
	}
	current, models := Config{Options: config}.AllModels()
	if current != "gone" || len(models) != 2 || models[0] != (Model{ID: "gone", Name: "gone"}) || models[1] != (Model{"a", "A", "Group"}) {
		t.Errorf("%s %+v", current, models)
	}
}
