//go:build !unix

package simulator

import "os/exec"

// Without process groups and signals only the process itself can be ended.
func ownGroup(*exec.Cmd)      {}
func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func kill(cmd *exec.Cmd)      { _ = cmd.Process.Kill() }
