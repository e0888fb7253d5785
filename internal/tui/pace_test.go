package tui

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	at := noon
	p := pace{last: at}
	p.output(at, 100, true, false)
	if d := p.due().Sub(at); d != frameEvery {
		t.Errorf("a stream is painted after %v", d)
	}
	p.output(at, 100, false, false)
	if d := p.due().Sub(at); d != besideEvery {
		t.Errorf("a stream beside is painted after %v", d)
	}
	p.input(at, false)
	p.output(at, 1<<20, true, true)
	if d := p.due().Sub(at); d != frameEvery {
		t.Errorf("a flood after a key is painted after %v", d)
	}
	p.output(at.Add(5*time.Millisecond), 10, true, true)
	if !p.due().IsZero() {
		t.Error("an echo waits")
	}
	p.painted(at)
	p.output(at.Add(echoFor+1), 10, true, false)
	if p.due().IsZero() {
		t.Error("what comes long after a key is taken for its echo")
	}
	p.input(at, true)
	if !p.due().IsZero() {
		t.Error("what a key changed waits")
	}
}
