package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The corpus that is searched; the goal is stated for 10000 and 5000.
var (
	historyFiles = flag.Int("history-transcripts", 1000, "transcripts that are searched")
	historyMB    = flag.Int("history-mb", 200, "their size in all")
)

// pastConversations measures the search over past conversations: the first
// build of its index, the index's size, and what a search takes from the shell.
func pastConversations(l *lab) error {
	home := l.home("y")
	defer home.close()
	c := newPastWords()
	began := time.Now()
	if err := c.write(home.home, *historyFiles, int64(*historyMB)<<20); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	fmt.Printf("\nhistory: %d transcripts, %d MB, written in %.1f s\n", *historyFiles, *historyMB, time.Since(began).Seconds())
	if _, err := home.do("daemon", "start"); err != nil {
		return err
	}
	began = time.Now()
	if out, err := home.do("history", "search", "warmup", "--json"); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	build := time.Since(began)
	var status struct {
		Conversations int `json:"conversations"`
		Bytes         int `json:"bytes"`
		ReadBytes     int `json:"read_bytes"`
	}
	out, err := home.do("history", "status", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &status)
	}
	if err != nil {
		return err
	}
	if status.Conversations != *historyFiles {
		return fmt.Errorf("%d conversations are in the index, of %d", status.Conversations, *historyFiles)
	}
	peak, err := home.peak()
	if err != nil {
		return err
	}
	t := table{title: "Search over past conversations, from the shell, ms"}
	t.row("search", "found", "p50 (min–max)", "p90", "goal ≤ 100")
	for _, q := range []struct{ name, words string }{
		{"a word in 3 transcripts", c.rare},
		{"a word in most", c.common},
		{"two words in most", c.common + " " + c.common2},
		{"words that begin so", c.common[:3] + "*"},
		{"two characters of a Chinese sentence", "变换"},
		{"a word that nobody said", "qqqqzzzz"},
		{"the newest, no words", ""},
	} {
		var s series
		found := 0
		for range max(4*l.rounds, 10) {
			args := []string{"history", "search", q.words, "--json"}
			if q.words == "" {
				args = []string{"history", "--json"}
			}
			began := time.Now()
			out, err := home.do(args...)
			if err != nil {
				return err
			}
			s = append(s, ms(time.Since(began)))
			var r struct {
				Conversations []struct{} `json:"conversations"`
				Index         struct {
					State string `json:"state"`
				} `json:"index"`
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				return err
			}
			found = len(r.Conversations)
			if r.Index.State == "building" {
				return fmt.Errorf("the index is not built yet")
			}
		}
		t.row(q.name, fmt.Sprint(found), s.String(), num(s.quantile(0.9)), ratio{s.median(), 100, true}.String())
	}
	t.print()
	fmt.Printf("  first build %.1f s, %.0f MB/s; index %.1f MB, %.1f %% of the transcripts; coordinator's peak memory %d MiB\n",
		build.Seconds(), float64(status.ReadBytes)/1e6/build.Seconds(), float64(status.Bytes)/1e6,
		100*float64(status.Bytes)/float64(status.ReadBytes), peak>>10)
	return nil
}

// peak is the most memory that the coordinator had, in KiB.
func (t *termio) peak() (int, error) {
	out, err := t.do("daemon", "status", "--json")
	if err != nil {
		return 0, err
	}
	var r struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.PID))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib int
			_, err := fmt.Sscan(rest, &kib)
			return kib, err
		}
	}
	return 0, fmt.Errorf("the peak memory of process %d is not known", r.PID)
}

// pastWords makes conversations of words that occur as often as in a language:
// few often, most of them hardly ever.
type pastWords struct {
	rng                   *rand.Rand
	pool                  []string // pieces of text, some 2 kB each
	rare, common, common2 string
}

func newPastWords() *pastWords {
	c := &pastWords{rng: rand.New(rand.NewPCG(1, 2)), rare: "xylophonist"}
	words := make([]string, 60_000)
	for i := range words {
		words[i] = c.word(i)
	}
	c.common, c.common2 = words[10], words[25]
	zipf := rand.NewZipf(c.rng, 1.1, 2, uint64(len(words)-1))
	c.pool = make([]string, 20_000)
	for i := range c.pool {
		var b strings.Builder
		for b.Len() < 2000 {
			b.WriteString(words[zipf.Uint64()])
			b.WriteByte(" \n.,"[min(c.rng.IntN(12), 3)])
		}
		if i%500 == 0 {
			b.WriteString(" 把漢字变换成拼音的函数有错误。")
		}
		c.pool[i] = b.String()
	}
	return c
}

// word is the i-th word: syllables, and now and then an identifier.
func (c *pastWords) word(i int) string {
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 2 + c.rng.IntN(3) {
		b.WriteByte(consonants[c.rng.IntN(len(consonants))])
		b.WriteByte(vowels[c.rng.IntN(len(vowels))])
	}
	switch i % 17 {
	case 0:
		b.WriteString("_" + b.String())
	case 1:
		b.WriteString("Handler")
	case 2:
		fmt.Fprintf(&b, "%d", c.rng.IntN(1000))
	}
	return b.String()
}

// write makes files of two agents, sized unevenly.
func (c *pastWords) write(home string, files int, bytes int64) error {
	left := bytes
	for i := range files {
		size := left / int64(files-i) / 2
		size += c.rng.Int64N(2*size + 1)
		if i == files-1 {
			size = left
		}
		n, err := c.conversation(home, i, size)
		if err != nil {
			return err
		}
		left = max(left-n, 1000)
	}
	return nil
}

func (c *pastWords) conversation(home string, i int, size int64) (written int64, err error) {
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 20 * time.Minute)
	path := filepath.Join(home, ".claude/projects", fmt.Sprintf("-w-%d", i%40), id+".jsonl")
	line := c.claudeLine
	if i%2 == 1 {
		path = filepath.Join(home, ".codex/sessions", at.Format("2006/01/02"), "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
		line = c.codexLine
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if i%2 == 1 {
		fmt.Fprintf(w, `{"timestamp":%q,"type":"session_meta","payload":{"id":%q,"cwd":"/w/%d","timestamp":%q}}`+"\n", at.Format(time.RFC3339Nano), id, i%40, at.Format(time.RFC3339Nano))
	}
	for n := 0; written < size || n < 2; n++ {
		role := [3]string{"user", "assistant", "tool"}[n%3]
		text := c.pool[c.rng.IntN(len(c.pool))]
		switch {
		case role == "user":
			text = text[:200]
		case role == "tool":
			for range 4 {
				text += c.pool[c.rng.IntN(len(c.pool))]
			}
		}
		if n == 1 && i%max(*historyFiles/3, 1) == 1 {
			text += " " + c.rare
		}
		raw, err := json.Marshal(line(id, fmt.Sprintf("/w/%d", i%40), at.Add(time.Duration(n)*time.Second), role, strings.ToValidUTF8(text, "")))
		if err != nil {
			return 0, err
		}
		w.Write(raw)
		w.WriteByte('\n')
		written += int64(len(raw)) + 1
	}
	return written, w.Flush()
}

func (c *pastWords) claudeLine(id, dir string, at time.Time, role, text string) any {
	type object = map[string]any
	content := any(text)
	if role == "tool" {
		role, content = "user", []any{object{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}}
	}
	return object{
		"type": role, "sessionId": id, "cwd": dir, "timestamp": at.Format(time.RFC3339Nano), "uuid": id, "version": "2.1.332",
		"message": object{"role": role, "content": content, "usage": object{"input_tokens": 12, "output_tokens": 20}},
	}
}

func (c *pastWords) codexLine(_, _ string, at time.Time, role, text string) any {
	type object = map[string]any
	payload := object{"type": "message", "role": role, "content": []any{object{"type": "output_text", "text": text}}}
	if role == "tool" {
		payload = object{"type": "function_call_output", "call_id": "call_1", "output": text}
	}
	return object{"timestamp": at.Format(time.RFC3339Nano), "type": "response_item", "payload": payload}
}
