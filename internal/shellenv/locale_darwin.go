package shellenv

// utf8Locale exists on every macOS; C.UTF-8 does not.
const utf8Locale = "en_US.UTF-8"
