package daemon

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/shellenv"
)

// Row 185: the User-Agent by the program that serves the protocol, and the
// proxy; what is there otherwise stays.
func TestRow185Inject(t *testing.T) {
	const ua = "codex-cli/0.55.0"
	for _, c := range []struct {
		name, command string
		bundled       bool
		env           []string
		a             config.ACP
		want          map[string]string // "" is: not there
	}{
		{"nothing chosen", "codex-acp", true, []string{"A=1", "HTTP_PROXY=http://own"}, config.ACP{}, map[string]string{"TERMIO_USER_AGENT": "", "CODEX_CONFIG": "", "HTTP_PROXY": "http://own", "NO_PROXY": ""}},
		{"codex, no providers known", "/opt/codex-acp", true, nil, config.ACP{UserAgent: " " + ua + " "}, map[string]string{
			"TERMIO_USER_AGENT": ua, "CODEX_CONFIG": `{"model_providers":{"openai":{"http_headers":{"User-Agent":"codex-cli/0.55.0"}}}}`, "ANTHROPIC_CUSTOM_HEADERS": "",
		}},
		{"codex, those that it has", "codex-acp", true, []string{`CODEX_CONFIG={"x":1,"model_providers":{"mine":{"base_url":"u","http_headers":{"K":"v","User-Agent":"old"}},"odd":3}}`, "MODEL_PROVIDER=other"}, config.ACP{UserAgent: ua}, map[string]string{
			"CODEX_CONFIG": `{"model_providers":{"mine":{"base_url":"u","http_headers":{"K":"v","User-Agent":"codex-cli/0.55.0"}},"odd":3,"other":{"http_headers":{"User-Agent":"codex-cli/0.55.0"}}},"x":1}`,
		}},
		{"codex, those that are named", "codex-acp", true, []string{`CODEX_CONFIG=[]`}, config.ACP{UserAgent: ua, UserAgentProviders: " a , ,b "}, map[string]string{
			"CODEX_CONFIG": `{"model_providers":{"a":{"http_headers":{"User-Agent":"codex-cli/0.55.0"}},"b":{"http_headers":{"User-Agent":"codex-cli/0.55.0"}}}}`,
		}},
		{"an agent of the user's", "mine", false, nil, config.ACP{UserAgent: ua}, map[string]string{"CODEX_CONFIG": `{"model_providers":{"openai":{"http_headers":{"User-Agent":"codex-cli/0.55.0"}}}}`}},
		{"claude", "claude-agent-acp", true, []string{"ANTHROPIC_CUSTOM_HEADERS=X-A: 1\n\nuser-AGENT: old\nX-B: 2"}, config.ACP{UserAgent: ua}, map[string]string{
			"ANTHROPIC_CUSTOM_HEADERS": "X-A: 1\nX-B: 2\nUser-Agent: codex-cli/0.55.0", "CODEX_CONFIG": "",
		}},
		{"others", "opencode", true, nil, config.ACP{UserAgent: ua}, map[string]string{"TERMIO_USER_AGENT": ua, "CODEX_CONFIG": "", "ANTHROPIC_CUSTOM_HEADERS": ""}},
		{"proxy", "opencode", true, []string{"HTTP_PROXY=http://old", "http_proxy=http://old", "NO_PROXY=a.b,LOCALHOST"}, config.ACP{Proxy: "http://p:1"}, map[string]string{
			"HTTP_PROXY": "http://p:1", "http_proxy": "http://p:1", "HTTPS_PROXY": "http://p:1", "https_proxy": "", "ALL_PROXY": "http://p:1", "NO_PROXY": "a.b,LOCALHOST,127.0.0.1,::1",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &atp.Manifest{ACP: &atp.ACP{Command: c.command}}
			env := injectACP(c.env, m, c.bundled, c.a)
			for name, want := range c.want {
				if got := shellenv.Get(env, name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
				n := 0
				for _, kv := range env {
					if strings.HasPrefix(kv, name+"=") {
						n++
					}
				}
				if n > 1 {
					t.Errorf("%s is there %d times", name, n)
				}
			}
		})
	}
}
