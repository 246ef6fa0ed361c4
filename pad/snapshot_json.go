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

// VersionError is the error for a snapshot in an unknown version of the format.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("snapshot has format version %d, want %d", e.Version, snapshotVersion)
}

// Code returns the error code that the npm package uses.
func (e *VersionError) Code() string { return "SCRATCHPAD_VERSION_ERROR" }

// MarshalJSON returns the snapshot as JSON, without escapes for HTML. If JSON cannot
// hold a value, the error names its key.
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
		Key: e.key[len(s.prefix):], Value: value, CreatedAt: ms(milliseconds(e.created)),
		UpdatedAt:  ms(milliseconds(e.updated)),
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

// UnmarshalJSON reads a snapshot and validates all of it. On an error the snapshot
// does not change. An entry with a ttl of 0 has expired and is left out.
//
// The npm package writes no value for undefined. Such a value becomes null, and
// [Pad.Restore] or [Pad.Load] reports it to [Options].OnError.
//
// Errors: [ErrPersist], [*VersionError].
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	if !utf8.Valid(data) {
		return bad("not valid UTF-8")
	}
	var outer struct {
		Entries   json.RawMessage `json:"entries"` // raw: another version may have another type
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

// parseEntries reads the object of entries. A map would lose its order.
func parseEntries(raw json.RawMessage) ([]*entry, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad("entries is not an object")
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
			return nil, bad("entry %q occurs twice", key)
		}
		seen[key] = true
		e, err := parseEntry(key, j)
		if err != nil {
			return nil, err
		}
		if e != nil {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// parseEntry reads one entry, nil if it has expired. The value is nil if there is none.
func parseEntry(key string, j entryJSON) (e *entry, err error) {
	switch {
	case key == "":
		return nil, bad("an entry has an empty key")
	case j.Key != key:
		return nil, bad("entry %q has the key %q", key, j.Key)
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
	}{{"createdAt", j.CreatedAt, &e.created}, {"updatedAt", j.UpdatedAt, &e.updated}, {"accessedAt", j.AccessedAt,
		&accessed}} {
		if *f.to, err = parseTime(strconv.Quote(key)+" "+f.name, f.from); err != nil {
			return nil, err
		}
	}
	e.accessed.Store(accessed.UnixMilli())
	switch {
	case j.TTL == nil:
		return e, nil
	case *j.TTL == 0:
		return nil, nil
	case *j.TTL < 0:
		return nil, bad("entry %q: ttl is %v, want null or milliseconds", key, *j.TTL)
	}
	e.ttl = time.Duration(math.MaxInt64)
	if whole, part := math.Modf(*j.TTL); whole < float64(math.MaxInt64/int64(time.Millisecond)) {
		e.ttl = time.Duration(whole)*time.Millisecond + time.Duration(math.Ceil(part*float64(time.Millisecond)))
	}
	return e, nil
}

// mostMilliseconds is the limit of JavaScript's Date, before and after 1970.
const mostMilliseconds = 8.64e15

// inRange refuses a time that could not be read again.
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
		return time.Time{}, bad("%s is not a time in milliseconds", name)
	}
	return time.UnixMilli(int64(*ms)).UTC(), nil
}
