package hooks

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// A plugin is a whole file of ours, named by its first line. It runs the
// reporter itself, without a shell, one report after the other; it does
// nothing outside of Termio, and nothing happens when the reporter is gone.
const pluginFirst = "// termio-hooks v1"

var pluginLine = regexp.MustCompile(`^// termio-hooks v\d+(\r?\n|$)`)

func pluginInstaller(text func(Spec) string) func([]byte, Spec) ([]byte, error) {
	return func(old []byte, s Spec) ([]byte, error) {
		if old != nil && !pluginLine.Match(old) {
			return nil, refuse("a file of that name is there that Termio did not write")
		}
		return []byte(pluginFirst + "\n" + text(s)), nil
	}
}

func removePlugin(old []byte) ([]byte, error) {
	if !pluginLine.Match(old) {
		return old, nil
	}
	return nil, nil
}

// pluginHead is what every plugin begins with: report runs the reporter and
// is done when it is.
func pluginHead(s Spec, typed string) string {
	var b strings.Builder
	b.WriteString("// Written by Termio, which removes it again: termio hooks remove\n")
	if typed != "" {
		b.WriteString(typed + "\n")
	}
	b.WriteString(`import { execFile } from "node:child_process"

const reporter = ` + quoteJSON(s.Reporter) + `
let last = Promise.resolve()

function report(...args) {
  last = last.then(() => new Promise((done) => {
    try {
      const child = execFile(reporter, args, { timeout: 1000 }, () => done())
      child.stdin?.end()
    } catch {
      done()
    }
  }))
  return last
}

`)
	return b.String()
}

func eventTable(events []atp.HookEvent) string {
	var b strings.Builder
	b.WriteString("const events = [\n")
	for _, e := range events {
		b.WriteString("  { on: " + quoteJSON(e.On) + ", state: " + quoteJSON(string(e.State)))
		if e.Matcher != "" {
			b.WriteString(", matcher: " + quoteJSON(e.Matcher))
		}
		b.WriteString(" },\n")
	}
	b.WriteString("]\n\n")
	return b.String()
}

// opencodePlugin reports a conversation only for a session that is known not
// to be a sub-agent's; of a sub-agent only what it asks counts.
func opencodePlugin(s Spec) string {
	var keys []string
	for key := range strings.SplitSeq(s.Hooks.Conversation, ".") {
		if key != "" {
			keys = append(keys, quoteJSON(key))
		}
	}
	return pluginHead(s, "") + eventTable(s.events()) + `const conversation = [` + strings.Join(keys, ", ") + `]

export const Termio = async () => {
  if (!process.env.TERMIO_SESSION) return {}
  const children = new Set()
  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.parentID) children.add(info.id)
      for (const e of events) {
        if (e.on !== event.type) continue
        if (e.matcher && e.matcher !== event.properties?.status?.type) continue
        const child = children.has(event.properties?.sessionID)
        const question = /^(permission|question)\./.test(e.on)
        if (child && !question) continue
        const args = [e.state, "--event", e.on]
        const id = conversation.reduce((v, key) => v?.[key], event)
        if (typeof id === "string" && !child) args.push("--conversation", id)
        report(...args)
        break
      }
    },
  }
}
`
}

func piExtension(s Spec) string {
	id := ""
	if s.Hooks.Conversation == "context" {
		id = `
      let id
      try { id = context?.sessionManager?.getSessionId?.() } catch {}
      if (typeof id === "string") args.push("--conversation", id)`
	}
	return pluginHead(s, "") + eventTable(s.events()) + `export default function (pi) {
  if (!process.env.TERMIO_SESSION) return
  for (const e of events) {
    pi.on(e.on, async (_event, context) => {
      const args = [e.state, "--event", e.on]` + id + `
      report(...args)
    })
  }
}
`
}

func ampPlugin(s Spec) string {
	return pluginHead(s, "// @ts-nocheck") + eventTable(s.events()) + `export default function (amp) {
  if (!process.env.TERMIO_SESSION) return
  for (const e of events) {
    amp.on(e.on, async () => {
      report(e.state, "--event", e.on)
    })
  }
}
`
}

// The scripts dialect (Cline): an executable for each event, of two lines.
const scriptFirst = "#!/bin/sh\n"

// ownScript tells whether a file is a script of ours.
func ownScript(src []byte) bool {
	body, isScript := bytes.CutPrefix(src, []byte(scriptFirst))
	if !isScript || bytes.Count(bytes.TrimSpace(body), []byte("\n")) > 0 {
		return false
	}
	_, mine := ours(strings.TrimSpace(string(body)))
	return mine
}

func scriptInstaller(e atp.HookEvent) func([]byte, Spec) ([]byte, error) {
	return func(old []byte, s Spec) ([]byte, error) {
		if old != nil && !ownScript(old) {
			return nil, refuse("a file of that name is there that Termio did not write")
		}
		return []byte(scriptFirst + s.command(e, false, "") + "\n"), nil
	}
}

func removeScript(old []byte) ([]byte, error) {
	if !ownScript(old) {
		return old, nil
	}
	return nil, nil
}
