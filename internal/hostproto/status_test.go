package hostproto

import (
	"reflect"
	"testing"
	"time"
)

// TestStatusEqual changes every field once: one that Equal forgot would be a
// change that nobody is told of.
func TestStatusEqual(t *testing.T) {
	if !(Status{}).Equal(Status{}) {
		t.Error("a status does not equal itself")
	}
	for i := range reflect.TypeFor[Status]().NumField() {
		var s Status
		f := reflect.ValueOf(&s).Elem().Field(i)
		switch v := f.Addr().Interface().(type) {
		case *string:
			*v = "x"
		case *int:
			*v = 1
		case *bool:
			*v = true
		case *[]string:
			*v = []string{"x"}
		case *time.Time:
			*v = time.Unix(1, 0)
		case *Cause:
			v.Rule = "x"
		default:
			t.Fatalf("a field of type %s", f.Type())
		}
		if s.Equal(Status{}) {
			t.Errorf("Equal does not see %s", reflect.TypeFor[Status]().Field(i).Name)
		}
	}
}
