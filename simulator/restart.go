package simulator

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// RestartBy returns what restarts a worker by running a command (R15): it
// returns when the command has ended well and the worker at workerURL accepts
// connections. Both together may take ready, [DefaultReadyTimeout] when 0. The
// command is split by [SplitCommand]; the error names what does not read.
func RestartBy(command, workerURL string, ready time.Duration) (func(context.Context) error, error) {
	words, err := SplitCommand(command)
	if err != nil {
		return nil, fmt.Errorf("restart command %q: %w", command, err)
	}
	u, err := ParseWorkerURL(workerURL)
	if err != nil {
		return nil, err
	}
	setDefault(&ready, DefaultReadyTimeout)
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, ready)
		defer cancel()
		out := &tail{limit: stderrBytes}
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Stdout, cmd.Stderr = out, out
		// The worker that it leaves running may hold its output open.
		cmd.WaitDelay = time.Second
		if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return fmt.Errorf("%s: %w%s", command, err, lastSaid(out))
		}
		if err := untilAccepts(ctx, hostPort(u), ready, SystemClock, nil); err != nil {
			return fmt.Errorf("%s: nothing listens at %s within %s%s", command, hostPort(u), ready, lastSaid(out))
		}
		return nil
	}, nil
}

// lastSaid is the last line that a command wrote, after a colon.
func lastSaid(out *tail) string {
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}

// idler is a [Poster] that keeps connections open between deliveries.
type idler interface{ Close() }
