package pad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// VersionError is a snapshot in a format that this version does not know.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("snapshot of version %d; version %d is known", e.Version, snapshotVersion)
}

// Code returns the code of the npm package.
func (e *VersionError) Code() string { return "SCRATCHPAD_VERSION_ERROR" }

const snapshotVersion = 1

// entryJSON is an entry as the npm package writes it.
type entryJSON struct {
	Key        string          `json:"key"`
	Value      json.RawMessage `json:"value"`
	CreatedAt  *float64        `json:"createdAt"`
	UpdatedAt  *float64        `json:"updatedAt"`
	AccessedAt *float64        `json:"accessedAt"`
	TTL        *float64        `json:"ttl"`
	SlidingTTL bool            `json:"slidingTtl"`
	Tags       []string        `json:"tags"`
}

// MarshalJSON writes the snapshot without escaping what only HTML needs. A value
// that JSON cannot hold is an error that names its key.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	if s.json != nil {
		return slices.Clone(s.json), nil
	}
	b := []byte(`{"entries":{`)
	first := true
	for e := range s.live() {
		if !first {
			b = append(b, ',')
		}
		first = false
		var err error
		if b, err = s.appendEntry(b, e); err != nil {
			return nil, fmt.Errorf("snapshot: entry %q: %w", e.key[len(s.prefix):], err)
		}
	}
	taken := milliseconds(s.time)
	if err := inRange(taken); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return fmt.Appendf(b, `},"timestamp":%d,"version":%d}`, taken, snapshotVersion), nil
}

func (s *Snapshot) appendEntry(b []byte, e *entry) ([]byte, error) {
	if err := inRange(milliseconds(e.created), milliseconds(e.updated), e.accessedAt(s.view.at)); err != nil {
		return nil, err
	}
	value, err := encodeExactly(e.value)
	if err != nil {
		return nil, err
	}
	key, err := encode(e.key[len(s.prefix):])
	if err != nil {
		return nil, err
	}
	j := entryJSON{
		Key: e.key[len(s.prefix):], Value: value, CreatedAt: ms(milliseconds(e.created)), UpdatedAt: ms(milliseconds(e.updated)),
		AccessedAt: ms(e.accessedAt(s.view.at)), SlidingTTL: e.sliding, Tags: e.tags,
	}
	if e.ttl > 0 {
		j.TTL = ms(ttlMilliseconds(e.ttl))
	}
	if j.Tags == nil {
		j.Tags = []string{}
	}
	entry, err := encode(j)
	if err != nil {
		return nil, err
	}
	return append(append(append(b, key...), ':'), entry...), nil
}

func ms(n int64) *float64 { return new(float64(n)) }

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// UnmarshalJSON reads a snapshot and validates all of it: on an error nothing
// has changed. An entry with a ttl of 0 has expired at once and is left out. The npm
// package writes an entry whose value is undefined without a value: it is null here,
// and a pad that takes such entries over reports them to [Options].OnError once.
// Errors: [ErrPersist] and [*VersionError].
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	if !utf8.Valid(data) {
		return bad("it is not valid UTF-8")
	}
	var outer struct {
		Entries   json.RawMessage `json:"entries"` // raw, as another version may have it otherwise
		Timestamp json.RawMessage `json:"timestamp"`
		Version   *int            `json:"version"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		return bad("%v", err)
	}
	if outer.Version != nil && *outer.Version != snapshotVersion {
		return &VersionError{Version: *outer.Version}
	}
	if outer.Version == nil || outer.Timestamp == nil || outer.Entries == nil {
		return bad("entries, timestamp or version is missing")
	}
	var timestamp *float64
	if err := json.Unmarshal(outer.Timestamp, &timestamp); err != nil {
		return bad("timestamp: %v", err)
	}
	taken, err := parseTime("timestamp", timestamp)
	if err != nil {
		return err
	}
	entries, err := parseEntries(outer.Entries)
	if err != nil {
		return err
	}
	c, at := newContent(), moment{&branch{}, newEpoch()}
	read := Snapshot{time: taken, view: view{c, at}}
	for _, e := range entries {
		if e.value == nil {
			e.value = newEncoded(json.RawMessage("null"))
			read.valueless = append(read.valueless, e.key)
		}
		c.seq++
		e.seq, e.revision, e.epoch = c.seq, newRevision(), at.epoch
		e.due = e.dueAt(at)
		c.put(e, nil)
	}
	*s = read
	return nil
}

func bad(format string, args ...any) error {
	return fmt.Errorf("snapshot: %s: %w", fmt.Sprintf(format, args...), ErrPersist)
}

// parseEntries reads the object of entries in its order, which a map would lose.
func parseEntries(raw json.RawMessage) ([]*entry, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad("entries is no object")
	}
	seen := map[string]bool{}
	var entries []*entry
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, bad("%v", err)
		}
		key := t.(string)
		var j entryJSON
		if err := d.Decode(&j); err != nil {
			return nil, bad("entry %q: %v", key, err)
		}
		if seen[key] {
			return nil, bad("entry %q stands twice", key)
		}
		seen[key] = true
		e, expired, err := parseEntry(key, j)
		if err != nil {
			return nil, err
		}
		if !expired {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// parseEntry leaves the value nil where there is none.
func parseEntry(key string, j entryJSON) (e *entry, expired bool, err error) {
	switch {
	case key == "":
		return nil, false, bad("an entry has no key")
	case j.Key != key:
		return nil, false, bad("entry %q says that its key is %q", key, j.Key)
	}
	e = &entry{key: key, sliding: j.SlidingTTL, tags: distinct(j.Tags)}
	if j.Value != nil {
		e.value = newEncoded(bytes.Clone(j.Value))
	}
	var accessed time.Time
	for _, f := range []struct {
		name string
		from *float64
		to   *time.Time
	}{{"createdAt", j.CreatedAt, &e.created}, {"updatedAt", j.UpdatedAt, &e.updated}, {"accessedAt", j.AccessedAt, &accessed}} {
		if *f.to, err = parseTime(strconv.Quote(key)+" "+f.name, f.from); err != nil {
			return nil, false, err
		}
	}
	e.accessed.Store(accessed.UnixMilli())
	if j.TTL == nil {
		return e, false, nil
	}
	if *j.TTL < 0 {
		return nil, false, bad("entry %q: ttl %v is no time in milliseconds", key, *j.TTL)
	}
	e.ttl = time.Duration(math.MaxInt64)
	if whole, part := math.Modf(*j.TTL); whole < float64(math.MaxInt64/int64(time.Millisecond)) {
		e.ttl = time.Duration(whole)*time.Millisecond + time.Duration(math.Ceil(part*float64(time.Millisecond)))
	}
	return e, *j.TTL == 0, nil
}

// mostMilliseconds before and since 1970 are what JavaScript's Date holds.
const mostMilliseconds = 8.64e15

// inRange refuses to write a time that could not be read.
func inRange(times ...int64) error {
	for _, ms := range times {
		if ms < -mostMilliseconds || ms > mostMilliseconds {
			return fmt.Errorf("the time of %d ms since 1970 is out of range", ms)
		}
	}
	return nil
}

func parseTime(name string, ms *float64) (time.Time, error) {
	if ms == nil || math.IsNaN(*ms) || math.Abs(*ms) > mostMilliseconds {
		return time.Time{}, bad("%s is no time in milliseconds", name)
	}
	return time.UnixMilli(int64(*ms)).UTC(), nil
}
