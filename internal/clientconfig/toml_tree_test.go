package clientconfig

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// All documents of four lines have the content that the decoder of package toml finds, or
// an error if it finds one.
func TestDecodeTOML(t *testing.T) {
	lines := []string{
		"", "[a]", "[a.b]", "[a.b.c]", "[[a]]", "[[a.b]]", "[b]", "a = 1", "a.b = 1", "a.b.c = 1", "b = 2", "b.c = 2", "a = {b = 1}", "a = [{}]",
	}
	valid := 0
	for _, one := range lines {
		for _, two := range lines {
			for _, three := range lines {
				for _, four := range lines {
					if compareTOML(t, strings.Join([]string{one, two, three, four}, "\n")) {
						valid++
					}
				}
			}
		}
	}
	if valid < 1000 {
		t.Errorf("%d documents were valid", valid)
	}
}

// So do documents with each kind of value and key.
func TestDecodeTOMLValues(t *testing.T) {
	for _, value := range []string{
		"1", "-17", "+3", "1_000", "0xBEEF", "0o17", "0b1_0", "01", "1__0", "9223372036854775807", "9223372036854775808", "0xffffffffffffffff", "-0",
		"1.5", "-0.0", "1e400", "1e6", "6.6e-3_4", "inf", "-inf", "+inf", "nan", "+nan", "-nan", "1.", ".5", "true", "false", "tru",
		`"x"`, `'x'`, `"a\tb\u00e9"`, `"\q"`, "\"\"\"\nx\\\n  y\"\"\"", "'''\nx'''", `"`, `""`,
		"1979-05-27", "1979-02-30", "1979-13-01", "07:32:00", "07:32", "25:00:00", "7:32:00", "1979-05-27T7:32:00Z", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5+01:00",
		"1979-05-27t07:32:00z", "1979-05-27T07:32:60Z", "1979-05-27T07:32", "1979-05-27T07:32Z", "1979-05-27T07:32:00.1234567891234", "1979-05-27T07:32:00.", "1979-05-27T07:32:00+24:00", "1979-05-27T07:32:00-01:60",
		"[]", "[1, 'a', [2.5]]", "[\n 1, # one\n]", "[1,,2]", "[{a = 1}, {a = 2, a = 3}]", "[{a = 1}, {a.b = 2}]",
		"{}", "{ a = 1, b.c = 2 }", "{ a = 1, a.b = 2 }", "{ a.b = 1, a.c = [{}] }", "{ a = {}, a.b = 1 }", "{ a = 1 ", "{ a.b = 1, a = 2 }",
	} {
		for _, text := range []string{"a = " + value, "a = [" + value + ", " + value + "]\nb = { c = " + value + " }\n", "[[a]]\nb = " + value + "\n[[a]]\nb.c = " + value + "\r\n"} {
			compareTOML(t, text)
		}
	}
	for _, key := range []string{"a", "a . b", "a\t.'b'.\"c\"", `"a.b"`, `"\u0061".b`, `""`, "a.", ".a", "a..b", "é", "'é'", "1.2", "[a", "a b", "a\n"} {
		for _, text := range []string{key + " = 1", "[" + key + "]\nx = 1", "[[" + key + "]]\nx = 1\n[[" + key + "]]", "x = { " + key + " = 1 }", "a = 1\n" + key + " = 1", "# " + key + "\ra = 1"} {
			compareTOML(t, text)
		}
	}
}

// compareTOML reports whether a document is valid.
func compareTOML(t *testing.T, text string) bool {
	t.Helper()
	want := map[string]any{}
	wantErr := toml.Unmarshal([]byte(text), &want)
	got, err := decodeTOML([]byte(text))
	if (err != nil) != (wantErr != nil) {
		t.Errorf("%q: error %v, want %v", text, err, wantErr)
	} else if err == nil && !reflect.DeepEqual(plainTOML(got), plainTOML(want)) {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
	return err == nil
}

// plainTOML returns a value in which times and NaN are text, because the decoders have
// types of their own for times.
func plainTOML(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, each := range v {
			all[key] = plainTOML(each)
		}
		return all
	case []any:
		list := []any{}
		for _, each := range v {
			list = append(list, plainTOML(each))
		}
		return list
	case float64:
		if math.IsNaN(v) {
			return "NaN"
		}
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime, tomlTime:
		return "a time"
	}
	return v
}

// An error says where the decoder of package toml says it is.
func TestDecodeTOMLPlaces(t *testing.T) {
	for _, text := range []string{"a = 1\nb = [1,\n  2,,]\n", "[a", "a = 1\n\n b = 9223372036854775808", "é = 1", "a = \"\\q\""} {
		_, err := readTOML([]byte(text))
		var want *toml.DecodeError
		if wantErr := toml.Unmarshal([]byte(text), &map[string]any{}); !errors.As(wantErr, &want) {
			t.Fatalf("%q: %v", text, wantErr)
		}
		row, column := want.Position()
		if place := fmt.Sprintf("line %d, column %d: toml: ", row, column); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%q: %v, want %s", text, err, place)
		}
	}
}
