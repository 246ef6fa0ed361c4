package pad

import (
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"
)

// Options of [New]. The zero value works: entries that do not expire, in memory.
type Options struct {
	DefaultTTL    time.Duration    // of an entry that is set without one; 0 or Forever: it does not expire
	DefaultExpiry Expiry           // what a TTL counts from; InheritExpiry: Fixed
	SweepInterval time.Duration    // how often expired entries are removed; 0: when somebody meets them. Close ends it
	Now           func() time.Time // nil: time.Now. It must not call the pad
	Saver         Saver            // where Save and Load go; nil: nowhere
	AutoSave      time.Duration    // the quiet time after a change before it is saved; 0 or negative: Save alone saves
	OnError       func(error)      // trouble that no caller sees: of auto-save, panics of handlers, and saved entries without a value; nil: slog.Default
}

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.DefaultTTL < 0 && o.DefaultTTL != Forever:
		return o, fmt.Errorf("Options.DefaultTTL is %v; give a time, 0 or Forever: %w", o.DefaultTTL, ErrConfig)
	case !o.DefaultExpiry.known():
		return o, fmt.Errorf("Options.DefaultExpiry is %d; give Fixed or Sliding: %w", o.DefaultExpiry, ErrConfig)
	case o.SweepInterval < 0:
		return o, fmt.Errorf("Options.SweepInterval is %v; give a time or 0: %w", o.SweepInterval, ErrConfig)
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
	o.Now = func() time.Time { return now().Round(0) } // one clock: what was saved has no monotonic reading either
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Default().Error("pad", "err", err) }
	}
	return o, nil
}

// setting is SetOptions with the pad's defaults in them.
type setting struct {
	ttl     time.Duration
	sliding bool
	tags    []string
}

func (d Options) setting(o SetOptions) (setting, error) {
	if o.TTL < 0 && o.TTL != Forever {
		return setting{}, fmt.Errorf("SetOptions.TTL is %v; give a time, 0 or Forever: %w", o.TTL, ErrConfig)
	}
	if !o.Expiry.known() {
		return setting{}, fmt.Errorf("SetOptions.Expiry is %d; give Fixed or Sliding: %w", o.Expiry, ErrConfig)
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
		o.TTL = max(o.TTL, time.Millisecond) // the resolution of AccessedAt: else it might be over at once
	}
	return setting{o.TTL, o.Expiry == Sliding, distinct(o.Tags)}, nil
}
