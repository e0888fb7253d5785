module github.com/termio-sh/termio/vt/internal/unitab

go 1.27.3

require golang.org/x/text v0.44.0
