package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// TestIdleHostMemory starts many hosts of the real binary and counts what they
// hold together: the proportional share of each must stay under 2 MiB
// (DESIGN §11). TERMIO_TEST_HOSTS=200 gives the number of the document; fewer
// share less, so that fewer are no easier.
func TestIdleHostMemory(t *testing.T) { testHostMemory(t, "cat", 2048) }

// TestFullHostMemory is the same with 10,000 lines in each, for 4 MiB.
func TestFullHostMemory(t *testing.T) {
	testHostMemory(t, `i=0; while [ $i -lt 200 ]; do printf '\033[3%dm%s\033[0m and some more text\n' $((i % 8)) "$i"; i=$((i+1)); done >block; `+
		`i=0; while [ $i -lt 60 ]; do cat block; i=$((i+1)); done; cat`, 4096)
}

func testHostMemory(t *testing.T, command string, limit int) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	n := 30
	if v, err := strconv.Atoi(os.Getenv("TERMIO_TEST_HOSTS")); err == nil {
		n = v
	}
	bin := filepath.Join(t.TempDir(), "termio-host")
	if out, err := exec.Command("go", "build", "-o", bin, "../../../cmd/termio-host").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	var hosts []*exec.Cmd
	defer func() {
		for _, h := range hosts {
			h.Process.Signal(syscall.SIGTERM)
		}
		for _, h := range hosts {
			h.Wait()
		}
	}()
	for range n {
		spec := testSpec(t, command)
		in, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		h := exec.Command(bin)
		h.Stdin = bytes.NewReader(in)
		out, err := h.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Start(); err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, h)
		var st hostproto.Started
		if err := json.NewDecoder(out).Decode(&st); err != nil || !st.OK {
			t.Fatalf("host: %+v, %v", st, err)
		}
	}
	time.Sleep(shrinkAfter + 2*time.Second) // until all is quiet; nothing tells when
	pss, threads, ticks := 0, 0, cpuTicks(t, hosts)
	for _, h := range hosts {
		pss += procNumber(t, h.Process.Pid, "smaps_rollup", "Pss:")
		threads += procNumber(t, h.Process.Pid, "status", "Threads:")
	}
	time.Sleep(2 * time.Second)
	ticks = cpuTicks(t, hosts) - ticks
	t.Logf("%d idle hosts: %d KiB of proportional memory each, %.1f threads each, %d CPU ticks in 2 s together",
		n, pss/n, float64(threads)/float64(n), ticks)
	if pss/n > limit {
		t.Errorf("a host holds %d KiB, more than %d", pss/n, limit)
	}
	if threads/n > 8 {
		t.Errorf("an idle host has %d threads", threads/n)
	}
	if ticks > n/20+1 {
		t.Errorf("%d idle hosts used %d ticks in 2 s", n, ticks)
	}
}

func procNumber(t *testing.T, pid int, file, key string) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %s", key, file)
	return 0
}

// cpuTicks is the processor time that all hosts have used.
func cpuTicks(t *testing.T, hosts []*exec.Cmd) int {
	t.Helper()
	sum := 0
	for _, h := range hosts {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		for _, i := range []int{11, 12} {
			n, _ := strconv.Atoi(f[i])
			sum += n
		}
	}
	return sum
}
