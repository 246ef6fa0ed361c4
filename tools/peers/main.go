// Command peers measures Scratchpad beside other MCP servers. It builds Scratchpad from this
// repository, installs the others from the npm registry in pinned versions, and measures all of
// them in turns. It needs Linux, Node.js and npm.
//
//	go -C tools run ./peers [--rounds 9]
//
// Each column has the median of the rounds, the lowest and the highest figure, and the ratio to
// Scratchpad:
//
//	start      milliseconds until the process has answered tools/list over stdio
//	cpu        milliseconds that its threads have worked until then
//	memory     MiB of resident memory, two seconds after it stored the note
//	change     o200k tokens that an agent writes and reads to change one line of a note of 200
//	see        the same, to see that change in another session that has read the note before
//	confirmed  calls that succeeded, when two processes added 20 lines each, one by one
//	kept       lines of these 40 that are in the note afterwards
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 9, "how often each server is measured")
	flag.Parse()
	if err := run(context.Background(), *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int) error {
	if rounds < 1 {
		return errors.New("--rounds: give 1 or more")
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "scratchpad")
	all := peers(program, dir)
	install := []string{"install", "--silent", "--prefix", dir}
	for _, s := range all[1:] {
		install = append(install, s.name)
	}
	if err := errors.Join(command("npm", install...),
		command("go", "-C", "..", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/scratchpad")); err != nil {
		return err
	}
	rows := make([][]figures, len(all))
	for range rounds {
		for i, s := range all {
			f, err := measure(ctx, s, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			rows[i] = append(rows[i], f)
		}
	}
	fmt.Println("| server | start | cpu | memory | change | see | confirmed | kept |\n|---|---|---|---|---|---|---|---|")
	for i, s := range all {
		fmt.Printf("| %s | %s |\n", s.name, strings.Join(row(rows[i], rows[0]), " | "))
	}
	return nil
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, out)
	}
	return nil
}

// figures are those of one round, in the order of the columns.
type figures [7]float64

// row shows the median, the lowest and the highest of each figure, and the ratio to ours.
func row(of, ours []figures) (columns []string) {
	for c := range of[0] {
		column := func(all []figures) (one []float64) {
			for _, f := range all {
				one = append(one, f[c])
			}
			slices.Sort(one)
			return one
		}
		one, base := column(of), column(ours)
		said := fmt.Sprintf("%.0f", one[len(one)/2])
		if one[0] != one[len(one)-1] {
			said += fmt.Sprintf(" (%.0f to %.0f)", one[0], one[len(one)-1])
		}
		if median := base[len(base)/2]; c < 5 && median > 0 {
			said += fmt.Sprintf(", %.1fx", one[len(one)/2]/median)
		}
		columns = append(columns, said)
	}
	return columns
}

// measure makes one round with a server, in new folders below dir.
func measure(ctx context.Context, s peer, dir string) (f figures, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	home, err := os.MkdirTemp(dir, "memory")
	if err != nil {
		return f, err
	}
	began := time.Now()
	first, process, err := connect(ctx, s, home)
	if err != nil {
		return f, err
	}
	defer first.Close()
	f[0] = time.Since(began).Seconds() * 1000
	if f[1], err = cpu(process); err != nil {
		return f, err
	}
	note := make([]string, lines)
	for i := range note {
		note[i] = fmt.Sprintf("%d. The host web-%02d was checked, and %d of its requests failed.", i+1, i%40, i*7919%1000)
	}
	if _, _, err := do(ctx, first, s.write(note)); err != nil {
		return f, err
	}
	time.Sleep(2 * time.Second)
	if f[2], err = resident(process); err != nil {
		return f, err
	}
	for _, c := range s.change(note, "200. The host web-39 is gone.") {
		_, n, err := do(ctx, first, c)
		if err != nil {
			return f, err
		}
		f[3] += float64(n)
	}
	second, _, err := connect(ctx, s, home)
	if err != nil {
		return f, err
	}
	defer second.Close()
	_, n, err := do(ctx, second, s.see)
	if err != nil {
		return f, err
	}
	f[4] = float64(n)
	confirmed, kept, err := together(ctx, s, first, second)
	f[5], f[6] = float64(confirmed), float64(kept)
	return f, err
}
