package native

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Edit lets the user edit a local file on a terminal. Signals from the keyboard go to all
// programs on the terminal. This one ignores them, so that what the user saved is not
// lost.
func Edit(local string, in io.Reader, out, errOut io.Writer) error {
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, os.Interrupt, syscall.SIGQUIT) // not Ignore, because the editor would inherit it
	defer signal.Stop(keys)
	cmd := editor(local)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errOut
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s ended with %v; $VISUAL or $EDITOR names another", cmd.Args[0], err)
	}
	return nil
}

// LeftByEditor returns where an editor that failed has left a text: in the file, or
// else in the folder, such as a swap file. It returns "" if nothing has changed.
func LeftByEditor(local string, content []byte) string {
	now, err := os.ReadFile(local)
	if err == nil && !bytes.Equal(now, content) {
		return local
	}
	dir := filepath.Dir(local)
	if all, readErr := os.ReadDir(dir); readErr != nil || len(all) > 1 || err != nil && len(all) > 0 {
		return dir
	}
	return ""
}

// editor returns the command of $VISUAL, $EDITOR or vi. The variables may have
// arguments and quotes, as for git.
func editor(local string) *exec.Cmd {
	name := "vi"
	if runtime.GOOS == "windows" {
		name = "notepad"
	}
	for _, variable := range []string{"EDITOR", "VISUAL"} {
		if given := os.Getenv(variable); strings.TrimSpace(given) != "" {
			name = given
		}
	}
	if runtime.GOOS == "windows" {
		words := strings.Fields(name)
		return exec.Command(words[0], append(words[1:], local)...)
	}
	if !strings.ContainsAny(name, "|&;<>()$`\\\"' \t\n*?[#~=%") {
		return exec.Command(name, local) // without a shell, which a Ctrl-C would end
	}
	cmd := exec.Command("sh", "-c", name+` "$@"`, name, local)
	cmd.Args[0] = name
	return cmd
}
