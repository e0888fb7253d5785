package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/termio-sh/termio/vt"
)

func TestSVG(t *testing.T) {
	term := vt.New(vt.Options{Cols: 20, Rows: 3})
	term.Write([]byte("a<b \x1b[1;31mred\x1b[0m 端末\r\n\x1b[7mreverse"))
	svg := SVG(Panel{"title & more", term})
	for _, want := range []string{"a&lt;b", ">red<", "#e06c75", ">端<", "title &amp; more", ">reverse<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
