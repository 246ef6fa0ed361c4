package pgtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// A keeper is a shell that outlives the test process. It makes a folder for all servers
// of the process and waits until its standard input ends, which is when the test process
// ends, however that happens. Then it stops the servers and removes the folder.
//
// All servers are in the keeper's process group. So the keeper stops them by one signal
// and never reads a process number that another process may have got meanwhile.
type keeper struct {
	dir   string
	cmd   *exec.Cmd
	alive *os.File // the write end of the keeper's standard input
	as    *account // who runs the servers; nil: the user of the test process

	mu     sync.Mutex // guards number
	number int        // of folders made
}

// The first loop ends with the test process. Servers that were stopped by SIGSTOP go on,
// so that they can end. A server removes postmaster.pid when it has ended, unless it was
// killed: then its System V segment, whose number is on line 7, is still there.
const keeperScript = `
umask 077
trap '' HUP INT QUIT TERM USR1 USR2
dir=$(mktemp -d "$1/pgtest.XXXXXX") || exit 1
echo "$dir"
exec >/dev/null
while read -r line; do :; done
running() {
	for f in "$dir"/*/data/postmaster.pid; do
		read -r pid 2>/dev/null <"$f" && kill -0 "$pid" 2>/dev/null && return 0
	done
	return 1
}
kill -CONT 0
kill -QUIT 0
n=0
while running && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
for f in "$dir"/*/data/postmaster.pid; do
	set -- $(sed -n 7p "$f")
	[ -n "$2" ] && ipcrm -m "$2"
done
n=0
while ! rm -rf "$dir" && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
kill -KILL 0
`

// startKeeper is called once. The keeper is never stopped: it ends with the process.
var startKeeper = sync.OnceValues(func() (*keeper, error) {
	k := &keeper{}
	if os.Geteuid() == 0 {
		var err error
		if k.as, err = lookUpAccount("postgres", "nobody"); err != nil {
			return nil, err
		}
	}
	k.cmd = exec.Command("sh", "-c", keeperScript, "keeper", tempDir())
	k.cmd.Dir = "/"
	k.cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
	k.cmd.SysProcAttr = processOf(k.as, 0)
	stdin, alive, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	// A File that nothing points to is closed by the garbage collector. The keeper is
	// reachable for as long as the process runs.
	k.alive = alive
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	k.cmd.Stdin, k.cmd.Stdout = stdin, stdout
	err = k.cmd.Start()
	stdout.Close()
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the keeper of PostgreSQL servers made no folder below %s: %w", tempDir(), err)
	}
	k.dir = strings.TrimSuffix(line, "\n")
	return k, nil
})

// newDir makes a folder that belongs to who runs the servers.
func (k *keeper) newDir() (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	dir := filepath.Join(k.dir, strconv.Itoa(k.number))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return dir, k.own(dir)
}

// own gives a file to who runs the servers.
func (k *keeper) own(name string) error {
	if k.as == nil {
		return nil
	}
	return os.Chown(name, k.as.uid, k.as.gid)
}

// command returns a command that the keeper ends with the test process. It sees none of
// the variables of the environment.
func (k *keeper) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = k.dir
	cmd.Env = []string{"PATH=" + filepath.Dir(name) + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=" + k.dir}
	cmd.SysProcAttr = processOf(k.as, k.cmd.Process.Pid)
	return cmd
}

// An account is a user that runs servers in place of root.
type account struct{ uid, gid int }

func lookUpAccount(names ...string) (*account, error) {
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			return nil, err
		}
		return &account{uid, gid}, nil
	}
	return nil, fmt.Errorf("root cannot run PostgreSQL, and there is no user %s", strings.Join(names, " or "))
}

// tempDir returns the folder for temporary files. It is /tmp where the path of a socket
// in it would be too long, or where another user cannot reach it.
func tempDir() string {
	dir := os.TempDir()
	if len(dir) > 60 || !filepath.IsAbs(dir) {
		return "/tmp"
	}
	for d := dir; os.Geteuid() == 0 && d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err != nil || info.Mode()&0o001 == 0 {
			return "/tmp"
		}
	}
	return dir
}
