package pad

import (
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"
)

// Options are the options of [New]. With the zero value entries do not expire, and are
// kept in memory only.
type Options struct {
	DefaultTTL    time.Duration    // the TTL of entries that are set without one; 0 or Forever: they do not expire
	DefaultExpiry Expiry           // when a TTL begins; InheritExpiry: Fixed
	SweepInterval time.Duration    // how often expired entries are removed; 0: only when their key is used
	Now           func() time.Time // must not call the pad; nil: time.Now

	// Saver is where Save and Load go. Without one they do nothing.
	Saver Saver
	// AutoSave is how long after a change the pad is saved. Another change in this time
	// delays the save, up to 10 times AutoSave in all. 0 or negative: only Save saves.
	// An auto-save never replaces a saved pad that was not loaded: that is an error.
	AutoSave time.Duration
	// OnError is told of errors in an auto-save, panics in handlers, and loaded entries
	// without a value. nil: they are logged with slog.Default.
	OnError func(error)
}

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.DefaultTTL < 0 && o.DefaultTTL != Forever:
		return o, fmt.Errorf("Options.DefaultTTL is %v, want a positive time, 0 or Forever: %w", o.DefaultTTL,
			ErrConfig)
	case !o.DefaultExpiry.known():
		return o, fmt.Errorf("Options.DefaultExpiry is %d, want Fixed or Sliding: %w", o.DefaultExpiry, ErrConfig)
	case o.SweepInterval < 0:
		return o, fmt.Errorf("Options.SweepInterval is %v, want a positive time or 0: %w", o.SweepInterval, ErrConfig)
	}
	if o.DefaultTTL == Forever {
		o.DefaultTTL = 0
	}
	if o.DefaultExpiry == InheritExpiry {
		o.DefaultExpiry = Fixed
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	o.Now = func() time.Time { return now().Round(0) } // no monotonic reading: times that were loaded have none
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Default().Error("pad", "err", err) }
	}
	return o, nil
}

// setting is a SetOptions with the pad's defaults filled in.
type setting struct {
	ttl     time.Duration
	sliding bool
	tags    []string
}

func (d Options) setting(o SetOptions) (setting, error) {
	if o.TTL < 0 && o.TTL != Forever {
		return setting{}, fmt.Errorf("SetOptions.TTL is %v, want a positive time, 0 or Forever: %w", o.TTL, ErrConfig)
	}
	if !o.Expiry.known() {
		return setting{}, fmt.Errorf("SetOptions.Expiry is %d, want Fixed or Sliding: %w", o.Expiry, ErrConfig)
	}
	for _, tag := range o.Tags {
		if !utf8.ValidString(tag) {
			return setting{}, fmt.Errorf("SetOptions.Tags: %q is not valid UTF-8: %w", tag, ErrConfig)
		}
	}
	switch o.TTL {
	case 0:
		o.TTL = d.DefaultTTL
	case Forever:
		o.TTL = 0
	}
	if o.Expiry == InheritExpiry {
		o.Expiry = d.DefaultExpiry
	}
	if o.Expiry == Sliding && o.TTL > 0 {
		o.TTL = max(o.TTL, time.Millisecond) // the resolution of AccessedAt: a shorter TTL might be over at once
	}
	return setting{o.TTL, o.Expiry == Sliding, distinct(o.Tags)}, nil
}
