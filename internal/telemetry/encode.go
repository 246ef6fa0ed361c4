package telemetry

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// The JSON of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.

type otlpAttribute struct {
	Key   string `json:"key"`
	Value struct {
		Text string `json:"stringValue"`
	} `json:"value"`
}

type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Began      string          `json:"startTimeUnixNano"`
	Ended      string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes,omitempty"`
	Status     otlpStatus      `json:"status"`
}

type otlpStatus struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

const statusError = 2

func attributesOf(all map[string]string) []otlpAttribute {
	var list []otlpAttribute
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, attribute(name, all[name]))
	}
	return list
}

func attribute(name, value string) otlpAttribute {
	a := otlpAttribute{Key: name}
	a.Value.Text = value
	return a
}

// encode returns the body of a request with the spans, which have ended.
func (t *tracer) encode(spans []*span) []byte {
	body := slices.Clone(t.head)
	for i, s := range spans {
		if i > 0 {
			body = append(body, ',')
		}
		text, err := json.Marshal(s.otlp())
		if err != nil { // impossible: a struct of texts
			panic(err)
		}
		body = append(body, text...)
	}
	return append(body, "]}]}]}"...)
}

func (s *span) otlp() otlpSpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := otlpSpan{
		TraceID: hex.EncodeToString(s.at.trace[:]), SpanID: hex.EncodeToString(s.at.span[:]),
		Name: s.name, Kind: s.kind, Began: nanos(s.began), Ended: nanos(s.ended),
	}
	if s.parent != [8]byte{} {
		o.Parent = hex.EncodeToString(s.parent[:])
	}
	for _, a := range s.attributes {
		o.Attributes = append(o.Attributes, attribute(a[0], a[1]))
	}
	if s.failed != "" {
		o.Status = otlpStatus{statusError, s.failed}
	}
	return o
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
