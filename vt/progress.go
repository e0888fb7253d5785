package vt

// Progress is a progress report of the program (OSC 9;4, ConEmu's sequence).
type Progress struct {
	State   ProgressState
	Percent int // 0–100, -1 when the report has none
}

// ProgressState is the first parameter of OSC 9;4.
type ProgressState uint8

// The progress states, with the numbers that the sequence uses.
const (
	ProgressNone          ProgressState = 0 // remove the bar: nothing is running
	ProgressNormal        ProgressState = 1
	ProgressError         ProgressState = 2
	ProgressIndeterminate ProgressState = 3
	ProgressPaused        ProgressState = 4
)

// maxProgress bounds the payload of OSC 9;4, "9;" included.
const maxProgress = 24

// parseProgress reads the payload of an OSC 9 after "9;". It is a progress
// report only if it has the form 4;state or 4;state;percent; otherwise OSC 9
// is a notification. States 1 and 3 must have the percent field, which may be
// empty or -1 for "unknown"; state 0 takes any and ignores it.
func parseProgress(payload []byte) (Progress, bool) {
	none := Progress{Percent: -1}
	if len(payload)+len("9;") > maxProgress || len(payload) < 3 || payload[0] != '4' || payload[1] != ';' {
		return none, false
	}
	d, rest := payload[2], payload[3:]
	if d < '0' || d > '4' {
		return none, false
	}
	p := Progress{State: ProgressState(d - '0'), Percent: -1}
	if len(rest) == 0 {
		if p.State == ProgressNormal || p.State == ProgressIndeterminate {
			return none, false
		}
		return p, true
	}
	if rest[0] != ';' {
		return none, false
	}
	field := rest[1:]
	for _, c := range field {
		if c == ';' {
			return none, false
		}
	}
	if p.State == ProgressNone || len(field) == 0 || string(field) == "-1" {
		return p, true
	}
	n, ok := percent(field)
	if !ok {
		return none, false
	}
	p.Percent = n
	return p, true
}

// percent reads a decimal number of at most three digits from 0 to 100.
func percent(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 3 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n <= 100
}
