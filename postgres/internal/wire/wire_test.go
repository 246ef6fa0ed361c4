package wire

import (
	"math"
	"testing"
	"time"
)

// A time comes back as it was sent, to the microsecond, or as the nearest one that
// PostgreSQL has.
func TestTimes(t *testing.T) {
	t.Parallel()
	last := time.UnixMicro(math.MaxInt64).UTC()
	for _, test := range []struct{ given, want time.Time }{
		{time.Time{}, time.Time{}},
		{time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)},
		{time.Date(1, 1, 1, 0, 0, 0, 1000, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1000, time.UTC)},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", 3600)), time.Date(9999, 12, 31, 22, 59, 59, 0, time.UTC)},
		{time.Date(290_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(290_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{time.Date(291_000, 1, 1, 0, 0, 0, 0, time.UTC), last},
		{last, last},
		{time.Date(-9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}},
	} {
		var got time.Time
		err := (&Fields{values: [][]byte{Encode(test.given).value}}).Scan(&got)
		if !got.Equal(test.want) || err != nil || got.Location() != time.UTC {
			t.Errorf("%v comes back as %v, %v, want %v", test.given, got, err, test.want)
		}
	}
}
