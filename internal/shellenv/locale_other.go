//go:build !darwin

package shellenv

// utf8Locale needs no language pack.
const utf8Locale = "C.UTF-8"
