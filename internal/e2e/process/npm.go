package process

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// InstallNPM runs npm ci in a folder, unless its node_modules was installed from its
// package-lock.json. Of the processes that call it at once, one installs and the others
// wait.
func InstallNPM(dir string) error {
	name := filepath.Join(dir, "package-lock.json")
	unlock, err := lock(name)
	if err != nil {
		return err
	}
	defer unlock()
	pinned, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(pinned)
	want := hex.EncodeToString(sum[:])
	stamp := filepath.Join(dir, "node_modules", ".installed")
	if have, _ := os.ReadFile(stamp); string(have) == want {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is missing; install Node.js and npm 9 or newer (Debian: apt-get install -y nodejs " +
			"npm), and run this again")
	}
	cmd := exec.Command(npm, "ci")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in internal/e2e: %w\n%s", err, out)
	}
	return os.WriteFile(stamp, []byte(want), 0o600)
}
