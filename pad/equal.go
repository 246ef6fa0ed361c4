package pad

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// sameValue reports whether two entries hold equal values. They may be nil.
func sameValue(a, b *entry) bool {
	if a == nil || b == nil || sameRevision(a, b) {
		return sameRevision(a, b)
	}
	if a.isEncoded() || b.isEncoded() {
		return sameJSON(a.value, b.value)
	}
	return reflect.DeepEqual(a.value, b.value)
}

func (e *entry) isEncoded() bool {
	_, ok := e.value.(*encoded)
	return ok
}

// sameJSON reports whether two stored values have the same JSON. A value without JSON is
// not equal to any.
func sameJSON(a, b any) bool {
	x, errX := encodeExactly(a)
	y, errY := encodeExactly(b)
	if errX != nil || errY != nil {
		return false
	}
	return bytes.Equal(x, y) || reflect.DeepEqual(canonical(x), canonical(y))
}

// canonical decodes valid JSON into a value to compare with reflect.DeepEqual.
func canonical(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err // nested too deeply for the decoder
	}
	return canonicalNumbers(v)
}

func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return canonicalNumber(string(v))
	case []any:
		for i := range v {
			v[i] = canonicalNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = canonicalNumbers(v[k])
		}
	}
	return v
}

// canonicalNumber returns the same text for numbers of the same value, of any size: 1,
// 1.0 and 10e-1 become 1e0.
func canonicalNumber(text string) json.Number {
	unsigned, negative := strings.CutPrefix(text, "-")
	mantissa, power := unsigned, "0"
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, power = unsigned[:i], unsigned[i+1:]
	}
	exponent, err := strconv.ParseInt(power, 10, 64)
	if err != nil || exponent > 1<<62 || exponent < -1<<62 {
		return json.Number(text) // the exponent would overflow below
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	exponent += int64(len(digits) - len(significant))
	if negative {
		significant = "-" + significant
	}
	return json.Number(significant + "e" + strconv.FormatInt(exponent, 10))
}

// sameOptions reports whether two entries have the same tags and TTL.
func sameOptions(a, b *entry) bool {
	return sameTTL(a, b) && (a.sliding == b.sliding || a.ttl == 0) && slices.Equal(a.tags, b.tags)
}

// sameTTL compares two TTLs, in milliseconds if one of them was read from JSON.
func sameTTL(a, b *entry) bool {
	if a.isEncoded() || b.isEncoded() {
		return ttlMilliseconds(a.ttl) == ttlMilliseconds(b.ttl)
	}
	return a.ttl == b.ttl
}

// sameRevision reports whether two entries were made by the same change. The copies that
// a fork or a sweep makes are the same. Both may be nil.
func sameRevision(a, b *entry) bool {
	return a == b || a != nil && b != nil && a.revision == b.revision
}
