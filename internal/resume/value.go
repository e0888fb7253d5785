package resume

import (
	"encoding/json"
	"strings"
	"time"
)

// Value is what stands at a key path ("payload.id") in a JSON object; nil when
// nothing does.
func Value(data []byte, keys string) any {
	for key := range strings.SplitSeq(keys, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return nil
		}
		data = object[key]
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}

// Stamp reads a record's own time: RFC 3339 text, or a number of seconds or
// milliseconds since 1970. It is zero when v is none.
func Stamp(v any) time.Time {
	switch v := v.(type) {
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			return time.Time{}
		}
		return t
	case float64:
		return epoch(v)
	case int64:
		return epoch(float64(v))
	}
	return time.Time{}
}

func epoch(n float64) time.Time {
	switch {
	case n <= 0:
		return time.Time{}
	case n < 1e11: // in milliseconds this would be 1973
		return time.UnixMilli(int64(n * 1000))
	}
	return time.UnixMilli(int64(n))
}
