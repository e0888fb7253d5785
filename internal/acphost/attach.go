package acphost

import (
	"encoding/base64"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// maxImage is the largest picture that is sent whole, in bytes; a larger one is
// named.
const maxImage = 8 << 20

// pictures are the kinds of files that are sent as images, where the agent
// takes some.
var pictures = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

// promptBlocks is a prompt as the protocol wants it: its text, then each file
// that was attached, a path below dir or an absolute one. Every agent takes
// links to files; a picture goes whole where the agent declares images. What is
// not there is left out: the text names it.
func promptBlocks(text string, attach []string, dir string, images bool) []acp.ContentBlock {
	out := []acp.ContentBlock{acp.TextBlock(text)}
	for _, name := range attach {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		kind := pictures[strings.ToLower(filepath.Ext(path))]
		if kind != "" && images && info.Mode().IsRegular() && info.Size() <= maxImage {
			if data, err := readAtMost(path, maxImage); err == nil {
				out = append(out, acp.ContentBlock{Type: "image", Data: base64.StdEncoding.EncodeToString(data), MimeType: kind})
				continue
			}
		}
		b := acp.ContentBlock{Type: "resource_link", Name: name, URI: (&url.URL{Scheme: "file", Path: path}).String(), MimeType: kind}
		if info.Mode().IsRegular() {
			size := info.Size()
			b.Size = &size
		}
		out = append(out, b)
	}
	return out
}

func readAtMost(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}
