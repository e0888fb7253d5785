package cli

import (
	"os"
	"os/exec"
)

// become runs another program in this one's place.
func become(program string, args, env []string) error {
	cmd := exec.Command(program, args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
