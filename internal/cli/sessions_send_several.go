package cli

import (
	"context"
	"errors"
	"sync"

	"github.com/termio-sh/termio/internal/api"
)

// several sends the same to more than one session, all at once.
func (o *sendOptions) several(ctx context.Context, request api.SendRequest) error {
	a := o.app
	if o.answers != "" {
		return usagef(api.CodeBadRequest, "--answers is for one question of one session; send it without --also")
	}
	for _, link := range o.also {
		if err := validText("link", link); err != nil {
			return err
		}
	}
	coordinator, err := a.Connect(true)
	if err != nil {
		return err
	}
	// What is printed comes whole, one after the other; the calls run at once.
	var printing sync.Mutex
	call := func(ctx context.Context, verb string, request, reply any) error {
		printing.Unlock()
		defer printing.Lock()
		return coordinator.Call(ctx, verb, request, reply)
	}
	var ends outcomes
	var work sync.WaitGroup
	for _, target := range append([]string{request.Target}, o.also...) {
		one := request
		one.Target = target
		work.Go(func() {
			printing.Lock()
			defer printing.Unlock()
			err := o.send(ctx, call, one)
			var exit exitCode
			if errors.As(err, &exit) && exit.code == api.ExitTimeout {
				ends.add(true, nil)
				return
			}
			if err != nil {
				a.printError(err)
			}
			ends.add(false, err)
		})
	}
	work.Wait()
	return ends.err()
}
