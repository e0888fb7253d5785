package atp

// The key table is the one source of truth about what a manifest may hold: the
// decoder checks against it, the published JSON Schema is made from it, and so
// is the table in docs/manifests.md.

// spec is one value's shape.
type spec struct {
	kind     kind
	enum     []string
	pattern  string // RE2 and ECMA 262 alike
	forbid   string // a pattern that must not match
	want     string // what pattern and forbid ask for, in words
	min, max int    // of a number, a string's characters or an array's items
	item     *spec  // of arrays, and of an object with free keys
	names    *spec  // for the free keys of such an object
	keys     []key
	rules    []objectRule
	presets  *spec // a string that stands for the object
	regexp   bool  // RE2, checked by the decoder only
}

// key is one named value of an object.
type key struct {
	name     string
	alias    string // an older name
	required bool
	additive bool // not in the Agent Terminal Protocol document
	def      string
	doc      string
	*spec
}

// objectRule is a rule over several keys of one object.
type objectRule struct {
	name   string
	schema map[string]any
	// broken returns the key to blame ("" for the object), what is wrong and
	// what to do, or false.
	broken func(o *node) (at, message, fix string, bad bool)
}

// Limits of the table.
const (
	maxText    = 4096
	maxPattern = 1024
	maxItems   = 128
)

const (
	identPattern   = `^[A-Za-z_][A-Za-z0-9_]*$`
	keyPathPattern = `^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$`
	pathPattern    = `^(~/|/)[^\x00-\x1f\x7f]*$`
	linePattern    = `^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`
	idPattern      = `^[A-Za-z0-9_][A-Za-z0-9._-]*$`
	templPattern   = `^([^{}\x00-\x1f\x7f]|\{id\})*\{id\}([^{}\x00-\x1f\x7f]|\{id\})*$`
	matchPattern   = `^(file|dir):([^{}\x00-\x1f\x7f]|\{id\}|\{id8\})*(\{id\}|\{id8\})([^{}\x00-\x1f\x7f]|\{id\}|\{id8\})*$`
	versionPattern = `^[0-9]+(\.[0-9]+)*([-+][0-9A-Za-z.-]+)?$`
	keyPattern     = `^((ctrl|shift|alt)\+)*(enter|escape|tab|backspace|delete|insert|up|down|left|right|home|end|pageup|pagedown|space|f[1-9]|f1[0-2]|[!-~])$`
	filePattern    = `^[A-Za-z0-9_-][A-Za-z0-9._-]*$`
)

func text(pattern, want string) *spec {
	return &spec{kind: kindString, pattern: pattern, want: want, min: 1, max: maxText}
}

func oneOf(words ...string) *spec { return &spec{kind: kindString, enum: words} }
func number(low, high int) *spec  { return &spec{kind: kindNumber, min: low, max: high} }
func toggle() *spec               { return &spec{kind: kindBool} }
func list(item *spec, low int) *spec {
	return &spec{kind: kindArray, item: item, min: low, max: maxItems}
}
func object(keys ...key) *spec { return &spec{kind: kindObject, keys: keys} }

func (s *spec) with(rules ...objectRule) *spec {
	s.rules = rules
	return s
}

func line() *spec     { return text(linePattern, "text on one line") }
func filePath() *spec { return text(pathPattern, `an absolute path or one that starts with "~/"`) }
func keyPath() *spec  { return text(keyPathPattern, `a key path such as "payload.id"`) }
func ident() *spec    { return text(identPattern, "a field name: letters, digits and _") }
func keyName() *spec  { return text(keyPattern, `a key name such as "enter", "escape" or "ctrl+u"`) }
func version() *spec  { return text(versionPattern, `a version such as "2.1.332"`) }
func fileName() *spec { return text(filePattern, "a plain file name") }

// relativePattern is a glob of relative paths.
func relativePattern() *spec {
	s := text(`^[^\x00-\x1f\x7f]+$`, "a relative path such as \"*/*.jsonl\"")
	s.forbid = notRelative
	return s
}

// matchPath is one that names a conversation.
func matchPath() *spec {
	s := text(`^([^{}\x00-\x1f\x7f]|\{id\}|\{id8\})*(\{id\}|\{id8\})([^{}\x00-\x1f\x7f]|\{id\}|\{id8\})*$`,
		"a relative path that contains {id} or {id8}")
	s.forbid = notRelative
	return s
}

// notRelative are paths that could lead out of their root.
const notRelative = `^/|/$|//|(^|/)\.\.?(/|$)`

func pattern() *spec {
	return &spec{kind: kindString, regexp: true, min: 1, max: maxPattern}
}

func environment() *spec {
	return &spec{
		kind: kindObject,
		item: &spec{kind: kindString, max: maxText, forbid: `\x00`, want: "text without a NUL"},
		names: &spec{
			kind: kindString, pattern: identPattern, forbid: "^TERMIO_",
			want: "an environment variable's name, not one of TERMIO_'s own",
		},
	}
}

// table is the whole manifest. It is built anew for every file, in some 20 µs,
// and kept by nobody: a host decodes one manifest and then lives for weeks.
func table() *spec {
	return object(
		key{name: "id", required: true, doc: "Stable identifier; sessions persist it, so it never changes once shipped. 1–64 letters, digits, `.`, `_`, `-`.", spec: &spec{
			kind: kindString, pattern: idPattern, min: 1, max: 64,
			want: `letters, digits, ".", "_" and "-", not starting with "." or "-"`,
		}},
		key{name: "name", required: true, doc: "Display name in the picker and sidebar.", spec: &spec{kind: kindString, pattern: linePattern, want: "text on one line", min: 1, max: 100}},
		key{name: "order", def: "last", doc: "Position in the agent picker; equal orders sort by id.", spec: number(-1_000_000_000, 1_000_000_000)},
		key{name: "wire", def: "`id`", doc: "The agent's token in listings.", spec: text(idPattern, `letters, digits, ".", "_" and "-"`)},
		key{name: "aliases", additive: true, doc: "More names that `--agent` accepts, whatever the case.", spec: list(text(idPattern, `letters, digits, ".", "_" and "-"`), 0)},
		key{name: "command", def: "the login shell", doc: "The command to launch, shell text, resolved on the login shell's `PATH`.", spec: line()},
		key{name: "processes", additive: true, doc: "More program names, besides the command's, by which the running agent is recognised in a plain terminal.", spec: list(fileName(), 0)},
		key{name: "versionArgs", additive: true, def: "`[\"--version\"]`", doc: "Arguments that make the command print its version and exit.", spec: list(line(), 0)},
		key{name: "env", additive: true, doc: "Environment variables set at launch.", spec: environment()},
		key{name: "permissionBypassFlag", doc: "The vendor's skip-permissions flag, added only when the user asks for it and the command does not have it.", spec: line()},
		key{name: "icon", doc: "How the agent is drawn; the first present of `vector`, `asset`, `path`, `symbol`, `glyph` counts.", spec: iconSpec()},
		key{name: "install", alias: "installURL", doc: "The vendor's install page, shown when the command is not found.", spec: text(`^https?://[^\x00-\x20\x7f]+$`, "an http or https address")},
		key{name: "skills", doc: "The agent's user-level skills directory.", spec: object(
			key{name: "dir", required: true, doc: "The directory; the skill lands in `<dir>/termio/SKILL.md`.", spec: filePath()},
		)},
		key{name: "configHome", doc: "How the agent's config tree is moved: every path of this manifest below `path` follows the variable.", spec: object(
			key{name: "env", required: true, doc: "The environment variable the agent documents.", spec: ident()},
			key{name: "path", required: true, doc: "The default path that its value replaces.", spec: filePath()},
		)},
		key{name: "titleStatus", doc: "Rules over the live terminal title (OSC 0/2). Attention beats working, working beats idle; a title that no rule matches is idle.", spec: object(
			key{name: "working", doc: "Expressions (RE2) for a working agent.", spec: list(pattern(), 0)},
			key{name: "attention", doc: "Expressions for an agent blocked on the user.", spec: list(pattern(), 0)},
			key{name: "idle", additive: true, doc: "Expressions for a title that says \"at rest\" for certain.", spec: list(pattern(), 0)},
		)},
		key{name: "workAfterMs", additive: true, def: "0", doc: "Work that a title, the screen or OSC 7501 tells and that is over within this many milliseconds is none: some agents say so for a moment when they start or clear.", spec: number(0, 250)},
		key{name: "progressStatus", def: "false", doc: "OSC 9;4 progress tells this agent's state.", spec: toggle()},
		key{name: "status", doc: "Rules over the screen's text, case-insensitive, attention before working. They count until an exact channel (a hook, OSC 7501) has reported in the session.", spec: object(
			key{name: "working", doc: "Expressions for a working agent.", spec: list(pattern(), 0)},
			key{name: "attention", doc: "Expressions for an agent blocked on the user.", spec: list(pattern(), 0)},
			key{name: "idle", additive: true, doc: "Expressions for a screen that says \"at rest\" for certain, where nothing says otherwise; else a rest is believed only after 0.6 s.", spec: list(pattern(), 0)},
			key{name: "rows", additive: true, def: "the whole screen", doc: "Look at this many of the last lines that are not blank, so that old output cannot match.", spec: number(1, 500)},
		)},
		key{name: "hooks", doc: "The agent's own hook configuration, by which it reports its state itself.", spec: hooksSpec()},
		key{name: "sessionFile", additive: true, doc: "A JSON file that the agent keeps up to date while it runs; a correction channel.", spec: sessionFileSpec()},
		key{name: "resume", doc: "How a conversation is continued, exactly or not at all. The strings `none`, `claude`, `codex`, `opencode`, `pi` stand for the bundled agents' values.", spec: resumeSpec()},
		key{name: "transcript", additive: true, doc: "How the agent's conversations are stored.", spec: object(
			key{name: "format", required: true, doc: "The layout.", spec: oneOf(TranscriptFormats()...)},
			key{name: "root", doc: "The folder of all conversations (the database of a sqlite layout).", def: "the resume store", spec: filePath()},
			key{name: "version", def: "1", doc: "The layout's version; one that is not known is an error, not a guess.", spec: number(1, 1)},
			key{name: "glob", doc: "Which files below `root` are conversations; `*` within a name, `**` for any folders.", spec: relativePattern()},
			key{name: "match", doc: "Which file below `root` is the conversation `{id}` (`{id8}`: the id's first eight characters); patterns as in `glob`.", spec: matchPath()},
		)},
		key{name: "ready", additive: true, doc: "Signs that the program reads its input; each that is declared must hold before a prompt is typed.", spec: object(
			key{name: "bracketedPaste", def: "false", doc: "The program has turned bracketed paste on.", spec: toggle()},
			key{name: "screen", doc: "One of these expressions is on the screen (case-insensitive).", spec: list(pattern(), 0)},
			key{name: "notScreen", doc: "None of these is on the screen.", spec: list(pattern(), 0)},
			key{name: "quietMs", doc: "The screen has not changed for so many milliseconds.", spec: number(0, 60_000)},
			key{name: "minMs", doc: "At least so many milliseconds have passed since launch.", spec: number(0, 60_000)},
			key{name: "maxMs", doc: "After so many milliseconds type in any case.", spec: number(0, 600_000)},
		)},
		key{name: "input", additive: true, doc: "How text and keys reach the program's prompt. Keys are named as for `sessions send --key`.", spec: object(
			key{name: "clear", doc: "Keys that empty the prompt before text is typed.", spec: list(keyName(), 0)},
			key{name: "submit", def: "`enter`", doc: "The key that sends the prompt.", spec: keyName()},
			key{name: "submitDelayMs", doc: "Milliseconds between the text and `submit`.", spec: number(0, 10_000)},
			key{name: "interrupt", doc: "Keys that end a turn, pressed in order.", spec: list(keyName(), 0)},
			key{name: "interruptGapMs", doc: "Milliseconds between the `interrupt` keys.", spec: number(0, 10_000)},
			key{name: "newline", doc: "The key that inserts a line break.", spec: keyName()},
		)},
		key{name: "acp", additive: true, doc: "How the agent is started as an Agent Client Protocol server on its standard input and output.", spec: object(
			key{name: "command", required: true, doc: "The program; no shell is involved.", spec: line()},
			key{name: "args", doc: "Its arguments.", spec: list(&spec{kind: kindString, max: maxText, forbid: `\x00`, want: "text without a NUL"}, 0)},
			key{name: "env", doc: "Environment variables for it.", spec: environment()},
		)},
	)
}

func iconSpec() *spec {
	return object(
		key{name: "vector", doc: "A built-in brand mark.", spec: oneOf("claude", "codex", "grok")},
		key{name: "asset", doc: "A built-in image by name.", spec: fileName()},
		key{name: "path", doc: "Your PNG or SVG file: absolute, `~/…`, or relative to the manifest.", spec: line()},
		key{name: "symbol", doc: "An SF Symbol's name.", spec: line()},
		key{name: "glyph", additive: true, doc: "One character for terminals.", spec: &spec{kind: kindString, pattern: linePattern, want: "one visible character", min: 1, max: 8}},
		key{name: "tint", doc: "Colour, `#RRGGBB`.", spec: text(`^#?[0-9A-Fa-f]{6}$`, "a colour such as #D97757")},
	)
}

func sessionFileSpec() *spec {
	states := oneOf("working", "attention", "done", "idle")
	return object(
		key{name: "path", required: true, doc: "The file, with `{pid}` for the agent's process id or `{id}` for its conversation.", spec: text(
			`^(~/|/)([^{}\x00-\x1f\x7f]|\{id\}|\{pid\})*(\{id\}|\{pid\})([^{}\x00-\x1f\x7f]|\{id\}|\{pid\})*$`,
			`an absolute or "~/" path that contains {pid} or {id}`,
		)},
		key{name: "state", required: true, doc: "Key path to the state word.", spec: keyPath()},
		key{name: "states", required: true, doc: "The file's state words, each with the state it means.", spec: &spec{
			kind: kindObject, item: states, names: line(),
		}},
		key{name: "detail", doc: "Key path to what a waiting agent waits for.", spec: keyPath()},
		key{name: "id", doc: "Key path to the conversation's id.", spec: keyPath()},
		key{name: "cwd", doc: "Key path to the working directory.", spec: keyPath()},
	)
}
