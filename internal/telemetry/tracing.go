package telemetry

import (
	"cmp"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Tracing says where traces go. The zero value sends none.
type Tracing struct {
	Endpoint   string            // the URL that takes spans in OTLP over HTTP, as JSON; "": there are no traces
	Headers    map[string]string // of each request; may hold secrets
	Attributes map[string]string // of the server, such as service.name
	Timeout    time.Duration     // of a request; 0: 10 s
	Ratio      float64           // the share of calls that are traced if their caller does not say; 0: all; below 0: none
}

// TracingFrom returns what the environment says, by the variables of OpenTelemetry:
// OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS, _TIMEOUT and _PROTOCOL, the same with
// OTEL_EXPORTER_OTLP_TRACES_, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_TRACES_EXPORTER and OTEL_SDK_DISABLED.
// Spans are sent as JSON, which OTLP over HTTP takes beside protobuf. Without an endpoint
// the other variables are not looked at. The error is [workspace.ErrInvalid]; it shows no
// value that may be a secret.
func TracingFrom(getenv func(string) string) (Tracing, error) {
	var t Tracing
	of := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	t.Endpoint = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); t.Endpoint == "" && base != "" {
		t.Endpoint = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if t.Endpoint == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return Tracing{}, nil
	}
	if p := of("PROTOCOL"); p != "" && p != "http/json" && p != "http/protobuf" {
		return Tracing{}, workspace.Errorf(workspace.ErrInvalid, "OTEL_EXPORTER_OTLP_PROTOCOL is %.20q; traces are sent over HTTP only: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json and the endpoint for HTTP, which mostly has port 4318", p)
	}
	if ms := of("TIMEOUT"); ms != "" {
		n, err := strconv.ParseUint(ms, 10, 31)
		if err != nil {
			return Tracing{}, workspace.Errorf(workspace.ErrInvalid, "OTEL_EXPORTER_OTLP_TIMEOUT is %.20q; give milliseconds", ms)
		}
		t.Timeout = time.Duration(n) * time.Millisecond
	}
	var err error
	if t.Headers, err = pairs("OTEL_EXPORTER_OTLP_HEADERS", of("HEADERS")); err != nil {
		return Tracing{}, err
	}
	if t.Attributes, err = pairs("OTEL_RESOURCE_ATTRIBUTES", getenv("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return Tracing{}, err
	}
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		t.Attributes["service.name"] = name
	}
	t.Ratio, err = ratio(getenv("OTEL_TRACES_SAMPLER"), getenv("OTEL_TRACES_SAMPLER_ARG"))
	return t, err
}

// pairs reads "name=value,name=value", where values are escaped as in URLs.
func pairs(variable, list string) (map[string]string, error) {
	all := map[string]string{}
	for n, pair := range strings.Split(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return nil, workspace.Errorf(workspace.ErrInvalid, "%s: pair %d is not name=value; separate pairs with commas", variable, n+1)
		}
		all[name] = value
	}
	return all, nil
}

// ratio returns the Ratio of a sampler. What the caller of a call says comes first with
// all of them.
func ratio(sampler, arg string) (float64, error) {
	switch strings.TrimPrefix(sampler, "parentbased_") {
	case "", "always_on":
		return 0, nil
	case "always_off":
		return -1, nil
	case "traceidratio":
		r, err := strconv.ParseFloat(cmp.Or(arg, "1"), 64)
		if err != nil || !(r >= 0 && r <= 1) {
			return 0, workspace.Errorf(workspace.ErrInvalid, "OTEL_TRACES_SAMPLER_ARG is %.20q; give a number from 0 to 1", arg)
		}
		if r == 0 {
			r = -1
		}
		return r, nil
	}
	return 0, workspace.Errorf(workspace.ErrInvalid, "OTEL_TRACES_SAMPLER is %.40q; give always_on, always_off or traceidratio, or one of these with parentbased_ before it", sampler)
}

// attributes returns those of the server, with a name for it.
func (t Tracing) attributes() map[string]string {
	all := map[string]string{"service.name": "scratchpad"}
	maps.Copy(all, t.Attributes)
	return all
}
