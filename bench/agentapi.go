package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

// agentAPI is a server of github.com/coder/agentapi with one agent: the HTTP
// interface that others offer for what `send --wait` does.
type agentAPI struct {
	cmd *exec.Cmd
	url string
}

// agentAPI starts one, if it is installed; nil when it is not.
func (l *lab) agentAPI(agent, notes string) (*agentAPI, error) {
	if !have("agentapi") {
		return nil, nil
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	a := &agentAPI{url: fmt.Sprintf("http://localhost:%d", port)}
	a.cmd = exec.Command("agentapi", "server", "--type", "custom", "--port", fmt.Sprint(port), "--",
		"env", "SCRIPTAGENT="+scriptFlags("api", notes), agent)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	if err := a.stable(time.Now().Add(30 * time.Second)); err != nil {
		a.stop()
		return nil, fmt.Errorf("start agentapi: %w", err)
	}
	return a, nil
}

func (a *agentAPI) stop() {
	if a != nil {
		a.cmd.Process.Kill()
		a.cmd.Wait()
	}
}

// turn sends a message and waits until the agent is at rest again.
func (a *agentAPI) turn(text string) error {
	body, err := json.Marshal(map[string]string{"type": "user", "content": text})
	if err != nil {
		return err
	}
	resp, err := http.Post(a.url+"/message", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("message: %s: %s (%w)", resp.Status, said, err)
	}
	return a.stable(time.Now().Add(30 * time.Second))
}

// stable asks for the status until it is stable.
func (a *agentAPI) stable(end time.Time) error {
	for {
		var s struct{ Status string }
		resp, err := http.Get(a.url + "/status")
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&s)
			resp.Body.Close()
		}
		switch {
		case err == nil && s.Status == "stable":
			return nil
		case time.Now().After(end):
			return errors.Join(errors.New("it does not come to rest"), err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
