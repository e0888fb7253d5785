package scriptagent

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are the agent's temper. The zero value, with Echo, is an agreeable
// one: raw mode, ready at once.
type Options struct {
	Name string

	// Boot is the time until it reads. While it boots the terminal is in raw
	// mode and what is typed waits, unless Eat (it is read and dropped) or
	// CookedBoot (the terminal echoes it, and drops it when the agent gets
	// ready: on the screen and yet lost).
	Boot            time.Duration
	Eat, CookedBoot bool

	// Die, when not negative, ends it with this code right after booting,
	// behind the lines of Last. DieMidTurn ends it in the middle of each turn.
	Die, DieMidTurn int
	Last            string

	Echo       bool // shows what is typed
	Canonical  bool // leaves the line discipline as it is: whole lines, 4,096 bytes
	NeverReads bool
	Burst      bool // text and Enter in one read are a paste: the Enter is text

	// EatEnter is how many Enters behind text are lost, BreakEnter how many
	// are taken for a line break in the prompt.
	EatEnter, BreakEnter int
	Trust                bool          // asks a question before it takes prompts
	Slow                 time.Duration // from each read to what comes of it
	Deaf                 time.Duration // looks ready, yet loses what is typed for so long

	Alt    bool // draws on the alternate screen
	Redraw int  // redraws everything this often a second
	Paste  bool // turns bracketed paste on when ready
	Kitty  int  // turns the kitty keyboard protocol on when ready, with these flags

	Titles   bool // title says idle or working
	Progress bool // OSC 9;4 while it works
	// Status: "asked" reports OSC 7501 once the terminal answered its query,
	// "unasked" at once, "" never.
	Status string
	Hook   string // command that gets each event as JSON on its stdin

	SessionID string
	// Store keeps conversations (see store_unix.go), of the Family "pinned" or
	// "discovered"; Resume continues one; Eager makes its file at the start.
	Store, Family, Resume string
	Eager                 bool
	Transcript            string // folder for the transcript, ID.jsonl
	Record                string // file for every byte that it received
	Children              string // kinds of children to start when ready, with commas
	PIDs                  string // file for "kind pid" of itself and its children
	Ignore                string // signals to ignore, with commas: hup, term, int

	child bool
	life  time.Duration
}

// parse reads the arguments. The variable SCRIPTAGENT stands before them: a
// JSON list, or words.
func parse(args []string, stderr io.Writer) (Options, error) {
	before, err := envArgs(os.Getenv("SCRIPTAGENT"))
	if err != nil {
		return Options{}, err
	}
	var o Options
	f := flag.NewFlagSet("scriptagent", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.Name, "name", "scriptagent", "name in titles and status reports")
	f.DurationVar(&o.Boot, "boot", 0, "time until it reads")
	f.BoolVar(&o.Eat, "eat", false, "drop what is typed while it boots")
	f.BoolVar(&o.CookedBoot, "cooked-boot", false, "let the terminal echo, then drop, what is typed while it boots")
	f.IntVar(&o.Die, "die", -1, "end at once with this code")
	f.IntVar(&o.DieMidTurn, "die-mid-turn", -1, "end with this code in the middle of a turn")
	f.StringVar(&o.Last, "last", "", "last words of -die")
	f.BoolVar(&o.Echo, "echo", true, "show what is typed")
	f.BoolVar(&o.Canonical, "canonical", false, "read whole lines through the line discipline")
	f.BoolVar(&o.NeverReads, "never-reads", false, "never read")
	f.BoolVar(&o.Burst, "burst", false, "take text and Enter in one read for a paste")
	f.IntVar(&o.EatEnter, "eat-enter", 0, "lose that many Enters behind text")
	f.IntVar(&o.BreakEnter, "break-enter", 0, "take that many Enters for line breaks")
	f.BoolVar(&o.Trust, "trust", false, "ask a question before it takes prompts")
	f.DurationVar(&o.Deaf, "deaf", 0, "lose what is typed for that long after it looks ready")
	f.DurationVar(&o.Slow, "slow", 0, "time from each read to what comes of it")
	f.BoolVar(&o.Alt, "alt", false, "use the alternate screen")
	f.IntVar(&o.Redraw, "redraw", 0, "redraws a second")
	f.BoolVar(&o.Paste, "paste", false, "bracketed paste")
	f.IntVar(&o.Kitty, "kitty", 0, "flags of the kitty keyboard protocol")
	f.BoolVar(&o.Titles, "titles", false, "set titles")
	f.BoolVar(&o.Progress, "progress", false, "send OSC 9;4")
	f.StringVar(&o.Status, "status", "", "report OSC 7501: asked or unasked")
	f.StringVar(&o.Hook, "hook", "", "hook command")
	f.StringVar(&o.SessionID, "session-id", "", "conversation id")
	f.StringVar(&o.Store, "store", "", "folder that conversations are kept in")
	f.StringVar(&o.Family, "family", "pinned", "how they are kept: pinned or discovered")
	f.StringVar(&o.Resume, "resume", "", "id of the conversation to continue")
	f.BoolVar(&o.Eager, "eager", false, "make the conversation's file at the start")
	f.StringVar(&o.Transcript, "transcript", "", "folder for the transcript")
	f.StringVar(&o.Record, "record", "", "file for the bytes received")
	f.StringVar(&o.Children, "children", "", "children to start: child, group, session, orphan, ignoring")
	f.StringVar(&o.PIDs, "pids", "", "file for process ids")
	f.StringVar(&o.Ignore, "ignore", "", "signals to ignore: hup, term, int")
	f.BoolVar(&o.child, "child", false, "be such a child")
	f.DurationVar(&o.life, "life", 2*time.Minute, "a child's longest life, should nobody end it")
	if err := f.Parse(append(before, args...)); err != nil {
		return Options{}, err
	}
	if rest, ok := strings.CutPrefix(o.Store, "~/"); ok {
		o.Store = filepath.Join(os.Getenv("HOME"), rest)
	}
	if f.NArg() > 0 {
		return Options{}, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, nil
}

func envArgs(s string) ([]string, error) {
	if !strings.HasPrefix(s, "[") {
		return strings.Fields(s), nil
	}
	var list []string
	if err := json.Unmarshal([]byte(s), &list); err != nil {
		return nil, fmt.Errorf("read SCRIPTAGENT: %w", err)
	}
	return list, nil
}

// frames says whether it draws whole screens instead of lines.
func (o Options) frames() bool { return o.Alt || o.Redraw > 0 }
