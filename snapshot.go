package scratchpad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

const snapshotVersion = 1

// Snapshot is working memory at one moment. It does not change, but by
// UnmarshalJSON. Its JSON is that of the npm package agent-scratchpad:
//
//	{"entries":{key:{key,value,createdAt,updatedAt,accessedAt,ttl,slidingTtl,tags}},"timestamp":ms,"version":1}
//
// with times in milliseconds since 1970, ttl null or milliseconds, and the
// entries in order. The zero value is an empty snapshot.
type Snapshot struct {
	time    time.Time
	entries []Entry // a Value is a json.RawMessage
}

// Len returns the number of entries.
func (s *Snapshot) Len() int { return len(s.entries) }

// Time returns when the snapshot was taken.
func (s *Snapshot) Time() time.Time { return s.time }

// All returns the entries in order of creation. A value is a map, a slice, a
// string, a bool, nil, a float64, or an int64 where a number is whole and exact.
func (s *Snapshot) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, e := range s.entries {
			e = e.clone()
			e.Value = plain(e.Value.(json.RawMessage))
			if !yield(e) {
				return
			}
		}
	}
}

// plain decodes a value that was valid JSON when it was read.
func plain(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return numbers(v)
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

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

// MarshalJSON writes the snapshot without escaping what only HTML needs.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	put := func(v any) error {
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
		return nil
	}
	b.WriteString(`{"entries":{`)
	for i, entry := range s.entries {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := put(entry.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := put(encodeEntry(entry)); err != nil {
			return nil, fmt.Errorf("snapshot: entry %q: %v", entry.Key, err)
		}
	}
	fmt.Fprintf(&b, `},"timestamp":%d,"version":%d}`, milliseconds(s.time), snapshotVersion)
	return b.Bytes(), nil
}

func encodeEntry(e Entry) entryJSON {
	ms := func(t time.Time) *float64 { return new(float64(milliseconds(t))) }
	j := entryJSON{
		Key: e.Key, Value: e.Value.(json.RawMessage), CreatedAt: ms(e.CreatedAt), UpdatedAt: ms(e.UpdatedAt), AccessedAt: ms(e.AccessedAt),
		SlidingTTL: e.Sliding, Tags: e.Tags,
	}
	if e.TTL > 0 {
		j.TTL = new(float64(e.TTL.Milliseconds()))
	}
	if j.Tags == nil {
		j.Tags = []string{}
	}
	return j
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// UnmarshalJSON reads a snapshot and validates all of it: on an error nothing
// has changed. An entry with a ttl of 0 has expired at once and is left out.
// Errors: [ErrPersist] and [*VersionError].
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	if !utf8.Valid(data) {
		return bad("it is not valid UTF-8")
	}
	var outer struct {
		Entries   json.RawMessage `json:"entries"`
		Timestamp *float64        `json:"timestamp"`
		Version   *int            `json:"version"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		return bad("%v", err)
	}
	if outer.Version == nil || outer.Timestamp == nil || outer.Entries == nil {
		return bad("entries, timestamp or version is missing")
	}
	if *outer.Version != snapshotVersion {
		return &VersionError{Version: *outer.Version}
	}
	taken, err := parseTime("timestamp", outer.Timestamp)
	if err != nil {
		return err
	}
	entries, err := parseEntries(outer.Entries)
	if err != nil {
		return err
	}
	s.time, s.entries = taken, entries
	return nil
}

func bad(format string, args ...any) error {
	return fmt.Errorf("snapshot: %s: %w", fmt.Sprintf(format, args...), ErrPersist)
}

// parseEntries reads the object of entries in its order, which a map would lose.
func parseEntries(raw json.RawMessage) ([]Entry, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, bad("entries is no object")
	}
	seen := map[string]bool{}
	var entries []Entry
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

func parseEntry(key string, j entryJSON) (e Entry, expired bool, err error) {
	switch {
	case key == "":
		return e, false, bad("an entry has no key")
	case j.Key != key:
		return e, false, bad("entry %q says that its key is %q", key, j.Key)
	case j.Value == nil:
		return e, false, bad("entry %q has no value", key)
	}
	e = Entry{Key: key, Value: bytes.Clone(j.Value), Sliding: j.SlidingTTL, Tags: j.Tags}
	e.Value = json.RawMessage(e.Value.([]byte))
	for _, f := range []struct {
		name string
		from *float64
		to   *time.Time
	}{{"createdAt", j.CreatedAt, &e.CreatedAt}, {"updatedAt", j.UpdatedAt, &e.UpdatedAt}, {"accessedAt", j.AccessedAt, &e.AccessedAt}} {
		if *f.to, err = parseTime(strconv.Quote(key)+" "+f.name, f.from); err != nil {
			return e, false, err
		}
	}
	if j.TTL == nil {
		return e, false, nil
	}
	if *j.TTL < 0 || *j.TTL != math.Trunc(*j.TTL) {
		return e, false, bad("entry %q: ttl %v is no number of milliseconds", key, *j.TTL)
	}
	e.TTL = time.Duration(math.MaxInt64)
	if *j.TTL < float64(math.MaxInt64/int64(time.Millisecond)) {
		e.TTL = time.Duration(*j.TTL) * time.Millisecond
	}
	return e, *j.TTL == 0, nil
}

// parseTime reads milliseconds since 1970 within what JavaScript's Date holds.
func parseTime(name string, ms *float64) (time.Time, error) {
	const most = 8.64e15
	if ms == nil || math.IsNaN(*ms) || math.Abs(*ms) > most {
		return time.Time{}, bad("%s is no time in milliseconds", name)
	}
	return time.UnixMilli(int64(*ms)).UTC(), nil
}
