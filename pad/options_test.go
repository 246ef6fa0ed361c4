package pad_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]pad.Options{
		"TTL":    {DefaultTTL: -2},
		"expiry": {DefaultExpiry: 3},
		"below":  {DefaultExpiry: -1},
		"sweep":  {SweepInterval: -1},
	} {
		if p, err := pad.New(o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: New() = %v, %v, want ErrConfig", name, p, err)
		}
		var s pad.Snapshot
		if p, err := pad.FromSnapshot(&s, o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: FromSnapshot() = %v, %v, want ErrConfig", name, p, err)
		}
	}
	p, _ := newPad(t, pad.Options{DefaultTTL: pad.Forever, AutoSave: -1})
	testkit.Must(t, p.Set("k", 1))
	if e, _ := p.Peek("k"); e.TTL != 0 {
		t.Errorf("Forever as the default gave %+v", e)
	}
	for name, o := range map[string]pad.SetOptions{"expiry": {Expiry: 3}, "tag": {Tags: []string{"\xff"}}} {
		if err := p.SetWith("k", 2, o); !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: SetWith() = %v, want ErrConfig", name, err)
		}
	}
	for err, code := range map[error]string{
		pad.ErrConfig: "SCRATCHPAD_CONFIG_ERROR", pad.ErrPersist: "SCRATCHPAD_PERSISTENCE_ERROR",
		&pad.VersionError{Version: 2}: "SCRATCHPAD_VERSION_ERROR", &pad.TypeError{Key: "k"}: "SCRATCHPAD_TYPE_ERROR",
	} {
		var coded interface{ Code() string }
		if !errors.As(fmt.Errorf("wrapped: %w", err), &coded) || coded.Code() != code || err.Error() == "" {
			t.Errorf("%v: the code is not %s", err, code)
		}
	}
}
