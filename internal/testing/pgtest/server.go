package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// startTime is how long a server may take to start or to stop.
const startTime = time.Minute

// A server is one PostgreSQL server with its folder. It is not safe for concurrent use.
type server struct {
	programs programs
	keeper   *keeper
	dir      string // has the folder data, the file log and the socket
	port     int
	cmd      *exec.Cmd // nil while the server does not run
}

// newServer makes a folder for a server.
func newServer(p programs) (*server, error) {
	k, err := startKeeper()
	if err != nil {
		return nil, err
	}
	dir, err := k.newDir()
	if err != nil {
		return nil, err
	}
	return &server{programs: p, keeper: k, dir: dir, port: 5432}, nil
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// run runs one of PostgreSQL's programs to its end.
func (s *server) run(program string, args ...string) error {
	return runCommand(s.keeper.command(filepath.Join(s.programs.dir, program), args...))
}

func runCommand(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// makeTemplate makes the files of a new server, once for all servers of the process.
// Texts sort as in English where the server can: so a query that needs byte order and
// does not say so is found.
var makeTemplate = sync.OnceValues(func() (string, error) {
	s, err := newServer(findPrograms())
	if err != nil {
		return "", err
	}
	args := []string{"-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync",
		"--wal-segsize=1", "--data-checksums"}
	if s.programs.version >= 15 {
		args = append(args, "--locale-provider=icu", "--icu-locale=en-US")
	}
	cmd := s.keeper.command(filepath.Join(s.programs.dir, "initdb"), args...)
	// The keeper waits for a process that has this file. A signal would make initdb leave
	// shared memory behind.
	cmd.ExtraFiles = []*os.File{s.keeper.alive}
	return s.data(), runCommand(cmd)
})

// initialize makes the server's files.
func (s *server) initialize(settings map[string]string) error {
	template, err := makeTemplate()
	if err != nil {
		return err
	}
	if err := runCommand(s.keeper.command("/bin/cp", "-R", template, s.data())); err != nil {
		return err
	}
	return s.configure(settings)
}

// configure adds settings to the server's file. The last of several counts.
func (s *server) configure(settings map[string]string) error {
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := strings.ReplaceAll(settings[name], "'", "''")
		if _, err := fmt.Fprintf(f, "%s = '%s'\n", name, value); err != nil {
			return err
		}
	}
	return f.Close()
}

// start starts the server and waits until it answers.
func (s *server) start() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.keeper.command(filepath.Join(s.programs.dir, "postgres"), "-D", s.data(), "-k", s.dir, "-h", "", "-p",
		strconv.Itoa(s.port))
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return err
	}
	return s.waitReady()
}

func (s *server) waitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		c, err := pgconn.Connect(ctx, s.url("postgres"))
		if err == nil {
			return c.Close(ctx)
		}
		if ended(s.cmd.Process.Pid) {
			s.cmd = nil
			return fmt.Errorf("PostgreSQL ended: %w\n%s", err, s.logTail())
		}
		if ctx.Err() != nil {
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, s.logTail())
		}
		time.Sleep(wait)
	}
}

// stop sends a signal to the server and waits for its end. SIGQUIT is an immediate stop:
// the server writes nothing more, and recovers at its next start. SIGKILL leaves
// postmaster.pid behind.
func (s *server) stop(sig os.Signal) error {
	if s.cmd == nil {
		return errors.New("PostgreSQL does not run")
	}
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Signal(sig); err != nil {
		return err
	}
	cmd.Wait() // its error is the signal
	return nil
}

// remove ends the server and removes its files.
func (s *server) remove() error {
	if s.cmd != nil {
		if err := s.stop(syscall.SIGQUIT); err != nil {
			return err
		}
	}
	// A server that was killed has left a System V segment of 56 bytes.
	if b, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid")); err == nil {
		if lines := strings.Split(string(b), "\n"); len(lines) > 6 {
			if f := strings.Fields(lines[6]); len(f) == 2 {
				exec.Command("ipcrm", "-m", f[1]).Run()
			}
		}
	}
	return os.RemoveAll(s.dir)
}

func (s *server) url(database string) string {
	return makeURL(database, s.dir, s.port)
}

// makeURL returns the URL of a database. A host that is a folder of sockets has no place
// in a URL before its "?".
func makeURL(database, host string, port int) string {
	host = strings.ReplaceAll(url.QueryEscape(host), "%2F", "/")
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, host, port)
}

// exec runs SQL on a connection of its own, and returns the first column of the last
// result.
func (s *server) exec(sql string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*startTime)
	defer cancel()
	c, err := pgconn.Connect(ctx, s.url("postgres"))
	if err != nil {
		return nil, err
	}
	results, err := c.Exec(ctx, sql).ReadAll()
	if err = errors.Join(err, c.Close(ctx)); err != nil || len(results) == 0 {
		return nil, err
	}
	var column []string
	for _, row := range results[len(results)-1].Rows {
		column = append(column, string(row[0]))
	}
	return column, nil
}

// logTail returns the end of what the server logged.
func (s *server) logTail() string {
	b, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	const limit = 4000
	if len(b) > limit {
		b = b[len(b)-limit:]
	}
	return string(b)
}
