module github.com/termio-sh/termio/vt/internal/unitab

go 1.27.3

require (
	github.com/clipperhouse/uax29/v2 v2.7.0
	golang.org/x/text v0.44.0
)
