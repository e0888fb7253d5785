// Command cmd runs the fake model server as a process of its own, for tests
// that are not written in Go and for trying things out by hand:
//
//	go run ./internal/testkit/fakemodel/cmd -url-file /tmp/url -log /tmp/log.jsonl
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fakemodel:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "127.0.0.1:0", "loopback address to listen on")
	urlFile := flag.String("url-file", "", "file to write the server's URL to, once it listens")
	logFile := flag.String("log", "", "file for the request log, JSON lines")
	rulesFile := flag.String("rules", "", "file with the script, JSON")
	dir := flag.String("dir", "", "folder where EDIT writes (default: the working directory)")
	stdin := flag.Bool("until-eof", false, "end when stdin ends, so that no caller can leave it behind")
	flag.Parse()

	cfg := fakemodel.Config{Dir: *dir}
	if cfg.Dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return err
		}
		cfg.Dir = wd
	}
	if *rulesFile != "" {
		raw, err := os.ReadFile(*rulesFile)
		if err != nil {
			return err
		}
		if cfg.Rules, err = fakemodel.ParseRules(raw); err != nil {
			return fmt.Errorf("read the script %s: %w", *rulesFile, err)
		}
	}
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		cfg.Log = f
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		l.Close()
		return fmt.Errorf("%s is not a loopback address", *addr)
	}
	srv := fakemodel.Serve(l, cfg)
	defer srv.Close()
	if *urlFile != "" {
		if err := writeWhole(*urlFile, srv.URL()+"\n"); err != nil {
			return err
		}
	}
	fmt.Println(srv.URL())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *stdin {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	<-ctx.Done()
	return nil
}

// writeWhole makes the file appear with all of its text at once.
func writeWhole(path, text string) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
