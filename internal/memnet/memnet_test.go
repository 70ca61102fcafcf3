package memnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hallmarkdev/hallmark/internal/memnet"
)

// A handler that takes ten minutes takes none: server, client and handler live
// in one bubble, and nothing of them is left when it ends.
func TestServe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, stop := memnet.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(10 * time.Minute) // of the bubble's time
			_, _ = io.Copy(w, r.Body)
		}))
		client := &http.Client{Transport: &http.Transport{DialContext: network.Dial}}
		began := time.Now()
		resp, err := client.Post("http://worker.example/", "text/plain", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 10*time.Minute {
			t.Errorf("took %v", took)
		}
		stop()
		if _, err := client.Post("http://worker.example/", "text/plain", http.NoBody); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after stop: %v", err)
		}
	})
}

func TestDialGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := memnet.New().Dial(ctx, "", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("dial that nobody accepts: %v", err)
	}
}

// A part that was closed accepts nothing more; the next one takes what waits.
func TestPartsFollowEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		first := network.Part()
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := first.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed part: %v", err)
		}
		dialled := make(chan error)
		go func() {
			_, err := network.Dial(t.Context(), "", "")
			dialled <- err
		}()
		if _, err := network.Part().Accept(); err != nil {
			t.Error(err)
		}
		if err := <-dialled; err != nil {
			t.Error(err)
		}
		if err := network.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := network.Part().Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed network: %v", err)
		}
	})
}
