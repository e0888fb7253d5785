package acphost

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
)

// secret stands in the journal for what may be a secret.
var secret = jsontext.Value(`"…"`)

var serversMember = []byte(`"mcpServers":[{`)

// withoutSecrets is a line of ours as the journal keeps it: without the values of
// the environments and headers that MCP servers are given.
func withoutSecrets(line []byte) []byte {
	if !bytes.Contains(line, serversMember) {
		return line
	}
	var m map[string]jsontext.Value
	var params map[string]jsontext.Value
	var servers []map[string]jsontext.Value
	if json.Unmarshal(line, &m) != nil || json.Unmarshal(m["params"], &params) != nil || json.Unmarshal(params["mcpServers"], &servers) != nil {
		return line // a prompt that speaks of them
	}
	for _, s := range servers {
		for _, list := range []string{"env", "headers"} {
			var values []map[string]jsontext.Value
			if len(s[list]) == 0 || json.Unmarshal(s[list], &values) != nil {
				continue
			}
			for _, v := range values {
				v["value"] = secret
			}
			s[list] = encoded(values)
		}
	}
	params["mcpServers"] = encoded(servers)
	m["params"] = encoded(params)
	return encoded(m)
}

// encoded is a value that was decoded a moment ago, and so can be encoded.
func encoded(v any) jsontext.Value {
	out, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return out
}
