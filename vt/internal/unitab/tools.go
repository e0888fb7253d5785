//go:build tools

package main

import _ "github.com/clipperhouse/uax29/v2/graphemes" // its test data
