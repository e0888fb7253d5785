package config

import (
	"os"
	"strings"
	"testing"
	"time"
)

// What is not known of the settings widens nothing.
func TestDoubtWidensNothing(t *testing.T) {
	later := time.Now().Add(time.Hour)
	for text, want := range map[string]struct{ control, inject, skill, removesSkill, removesHooks bool }{
		`{}`:                                       {control: true, inject: true},
		`{"sessionControl":true}`:                  {control: true, inject: true, skill: true},
		`{"sessionControl":true,"skill":false}`:    {control: true, inject: true, removesSkill: true},
		`{"skill":true}`:                           {control: true, inject: true, skill: true},
		`{"sessionControl":false}`:                 {inject: true, removesSkill: true},
		`{"sessionControl":false,"skill":true}`:    {inject: true, removesSkill: true},
		`{"sessionControl":"no"}`:                  {inject: true},
		`{"sessionControl":0,"skill":true}`:        {inject: true},
		`{"sessionControl":true,"skill":"no"}`:     {control: true, inject: true},
		`{"liveStatus":"off"}`:                     {control: true},
		`{"liveStatus":false}`:                     {control: true, removesHooks: true},
		`{"sessionControl":false,"liveStatus":tru`: {removesSkill: true, removesHooks: true},
		`{"sessionControl": true, "liveStatus": f`: {control: true, removesHooks: true, skill: false},
		`{"sessionControl": `:                      {inject: true, removesSkill: true},
		"\x00\x00":                                 {control: true, inject: true},
	} {
		path := write(t, text)
		s, _ := Load(path, later)
		for what, is := range map[string][2]bool{
			"control": {s.ControlsSessions(), want.control}, "inject": {s.InjectsHooks(), want.inject}, "skill": {s.InstallsSkill(), want.skill},
			"removes the skill": {s.RemovesSkill(), want.removesSkill}, "removes hooks": {s.RemovesHooks(), want.removesHooks},
		} {
			if is[0] != is[1] {
				t.Errorf("%s: %s is %v", text, what, is[0])
			}
		}
		// The next one who reads finds the same.
		if again, _ := Load(path, later.Add(time.Hour)); again.ControlsSessions() != s.ControlsSessions() || again.InjectsHooks() != s.InjectsHooks() {
			t.Errorf("%s: read again it is another", text)
		}
	}
	path := write(t, "{}")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	s, problems := Load(path, later)
	if len(problems) != 1 || s.Unread() == nil || s.ControlsSessions() || s.InjectsHooks() || s.InstallsSkill() || s.RemovesHooks() || s.RemovesSkill() {
		t.Errorf("a file that cannot be read: %+v, %v", s, problems)
	}
}

// A key that cannot leave attach is named, the default counts, and it stays in
// the file.
func TestDetachKeyIsChecked(t *testing.T) {
	for key, rule := range map[string]string{"x": "programs need", "ctrl-m": "programs need", "hyper-q": "", "f12": "-", `ctrl-\\`: "-"} {
		path := write(t, `{"detachKey":"`+key+`"}`)
		s, problems := Load(path, time.Now())
		if rule == "-" {
			if len(problems) != 0 {
				t.Errorf("%s: %v", key, problems)
			}
			continue
		}
		if len(problems) != 1 || problems[0].Key != "detachKey" || !strings.Contains(problems[0].Rule, rule) || s.Detach() != DefaultDetachKey {
			t.Errorf("%s: %v, %q", key, problems, s.Detach())
		}
		if err := Save(path, s); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(path); !strings.Contains(string(data), `"`+key+`"`) {
			t.Errorf("%s is no more in the file: %s", key, data)
		}
	}
}

func TestNotificationSettings(t *testing.T) {
	path := write(t, `{"notifications":{"desktop":false,"after":"soon","command":"say hi","later":1}}`)
	s, problems := Load(path, time.Now())
	n := s.Notifications
	if n.OnDesktop() || !n.InTerminal() || !n.Rings() || n.Command != "say hi" || n.AfterTurn() != DefaultNotifyAfter {
		t.Errorf("%+v", n)
	}
	if len(problems) != 1 || problems[0].Key != "notifications.after" {
		t.Errorf("%v", problems)
	}
	s.Notifications.Desktop = nil
	if err := Save(path, s); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	for _, want := range []string{`"after": "soon"`, `"later": 1`, `"command": "say hi"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is lost: %s", want, data)
		}
	}
	if strings.Contains(string(data), "desktop") {
		t.Errorf("a choice that was given back: %s", data)
	}
	for text, want := range map[string]time.Duration{"0s": 0, "1m30s": 90 * time.Second, "24h": 24 * time.Hour, "25h": -1, "-1s": -1, "ten": -1} {
		if d, err := ParseAfter(text); (err == nil) != (want >= 0) || err == nil && d != want {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}
