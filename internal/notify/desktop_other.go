//go:build !linux && !darwin

package notify

import "context"

func (d *Desktop) show(context.Context, Note, string) (string, error) { return "", ErrNoDesktop }

func (d *Desktop) withdraw(context.Context, string) error { return nil }
