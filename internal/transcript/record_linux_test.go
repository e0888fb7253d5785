package transcript_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/transcript"
)

// What is cut off captured files: long texts and lists are not conversation.
const (
	longText = 400
	longList = 8
)

// keepStore writes a transcript into testdata: trimmed, its folders renamed.
func keepStore(t *testing.T, format, path, home, project string) {
	t.Helper()
	root, err := agents.Find()
	if err != nil {
		t.Fatal(err)
	}
	// Before anything is cut off, so that no name is cut in two.
	rename := strings.NewReplacer(project, "/home/dev/proj", home, "/home/dev", filepath.Base(filepath.Dir(project)), "dev", root, "/opt/agents")
	var out bytes.Buffer
	name := "transcript.jsonl"
	if transcript.IsDatabase(format) {
		name = "store.sql"
		dump(t, &out, path, rename)
	} else {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			out.Write(trimmed(t, []byte(rename.Replace(string(line)))))
			out.WriteByte('\n')
		}
	}
	file := filepath.Join("testdata", format, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func trimmed(t *testing.T, line []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(cut(v)); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func cut(v any) any {
	switch v := v.(type) {
	case string:
		if r := []rune(v); len(r) > longText {
			return string(r[:longText]) + "…"
		}
	case []any:
		v = v[:min(len(v), longList)]
		for i := range v {
			v[i] = cut(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = cut(v[k])
		}
	}
	return v
}

// dump writes the tables that are read as SQL.
func dump(t *testing.T, out *bytes.Buffer, path string, rename *strings.Replacer) {
	t.Helper()
	file, _ := transcript.SplitPath(path)
	db, err := transcript.OpenDatabase(file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range []string{"session", "message", "part"} {
		var schema string
		if err := db.QueryRow(`SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?`, table).Scan(&schema); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "%s;\n", schema)
		rows, err := db.Query("SELECT * FROM " + table + " ORDER BY time_created, id")
		if err != nil {
			t.Fatal(err)
		}
		dumpRows(t, out, table, rows, rename)
	}
}

func dumpRows(t *testing.T, out *bytes.Buffer, table string, rows *sql.Rows, rename *strings.Replacer) {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		words := make([]string, len(values))
		for i, v := range values {
			switch v := (*v.(*any)).(type) {
			case nil:
				words[i] = "NULL"
			case string:
				if v = rename.Replace(v); strings.HasPrefix(v, "{") {
					v = string(trimmed(t, []byte(v)))
				}
				words[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
			default:
				words[i] = fmt.Sprint(v)
			}
		}
		fmt.Fprintf(out, "INSERT INTO %s VALUES (%s);\n", table, strings.Join(words, ", "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
