package shellenv

import (
	"context"
	"errors"
)

func probe(context.Context, string, []string) ([]string, error) {
	return nil, errors.New("login shells are not supported on Windows yet")
}
