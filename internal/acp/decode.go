package acp

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"
	"strings"
)

var lax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Decode reads data into v as the protocol asks: a member that is not as the
// schema wants it counts as absent, an element of a list that is not is left
// out, and only what is no object at all is an error. null is nothing.
func Decode(data []byte, v any) error {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	err := json.Unmarshal(data, v, lax)
	if err == nil {
		return nil
	}
	into := reflect.ValueOf(v).Elem()
	into.SetZero()
	if lenient(data, into) {
		return nil
	}
	return err
}

// lenient decodes what it can. It reports whether data was of the right kind.
func lenient(data []byte, v reflect.Value) bool {
	if json.Unmarshal(data, v.Addr().Interface(), lax) == nil {
		return true
	}
	v.SetZero()
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !lenient(data, p.Elem()) {
			return false
		}
		v.Set(p)
		return true
	case reflect.Struct:
		fields := map[string]int{}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" {
				fields[name] = i
			}
		}
		return Members(data, func(name, value []byte) {
			if i, ok := fields[string(name)]; ok {
				lenient(value, v.Field(i))
			}
		})
	case reflect.Slice:
		var all []jsontext.Value
		if v.Type() == reflect.TypeFor[jsontext.Value]() || json.Unmarshal(data, &all, lax) != nil {
			return false
		}
		for _, e := range all {
			one := reflect.New(v.Type().Elem()).Elem()
			if lenient(e, one) {
				v.Set(reflect.Append(v, one))
			}
		}
		return true
	}
	return false
}

// Encode writes v as the protocol's JSON.
func Encode(v any) ([]byte, error) { return json.Marshal(v, lax) }
