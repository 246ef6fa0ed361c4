package pad

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
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
	v, err := decode(raw, canonicalNumber)
	if err != nil {
		return err // nested too deeply for the decoder
	}
	return v
}

// canonicalNumber returns the same text for numbers of the same value: 1, 1.0 and 10e-1 become
// 1. Numbers with a very large exponent stay as they are.
func canonicalNumber(n json.Number) any {
	const most = 1000
	_, power, _ := strings.Cut(strings.ToLower(n.String()), "e")
	exponent, err := strconv.Atoi(cmp.Or(power, "0"))
	if err != nil || exponent > most || exponent < -most {
		return n
	}
	r, _ := new(big.Rat).SetString(n.String())
	return json.Number(r.RatString())
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
