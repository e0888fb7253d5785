package acpagent

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acp/acpschema"
)

// schemas are the protocol's, compiled once.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(acpschema.JSON))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", doc); err != nil {
		return nil, err
	}
	out := map[string]*jsonschema.Schema{}
	for name, def := range doc.(map[string]any)["$defs"].(map[string]any) {
		method, _ := def.(map[string]any)["x-method"].(string)
		if method == "" {
			continue
		}
		s, err := c.Compile("acp.json#/$defs/" + name)
		if err != nil {
			return nil, err
		}
		key := method
		if strings.HasSuffix(name, "Response") {
			key += " response"
		}
		out[key] = s
	}
	return out, nil
})

// Check says what is wrong with the parameters of a method, or with the result
// of one ("<method> response"), by the protocol's schema. Methods that it does
// not know are free.
func Check(method string, value []byte) error {
	all, err := schemas()
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	s := all[method]
	if s == nil {
		return nil
	}
	if len(value) == 0 {
		value = []byte("{}")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// CheckFrame checks one frame; asked are the methods of the other side's
// requests by their id, which answers are checked with.
func CheckFrame(line []byte, asked map[string]string) error {
	var version, method string
	var id, params, result []byte
	acp.Members(line, func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			version = acp.Text(value)
		case "method":
			method = acp.Text(value)
		case "id":
			id = value
		case "params":
			params = value
		case "result":
			result = value
		}
	})
	switch {
	case version != "2.0":
		return fmt.Errorf("jsonrpc is %q", version)
	case method != "":
		return Check(method, params)
	case result != nil:
		return Check(asked[string(id)]+" response", result)
	}
	return nil
}
