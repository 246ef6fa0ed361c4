package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A fakePlatform answers as the documentation of Apify's API says: the input and the pricing
// of the run run1, and charges, of which those with the same key count once.
type fakePlatform struct {
	t       *testing.T
	input   string            // ""; there is none
	price   float64           // of the event; 0: the Actor is not paid by the event
	counts  map[string]int64  // charged before
	trouble func(n int) fault // of the nth request to charge, from 1; nil: none

	mu       sync.Mutex // guards the following
	requests int        // to charge
	charged  map[string]int
}

// A fault is what goes wrong with a request to charge.
type fault struct {
	status int  // instead of 201
	lost   bool // the charge is made, and the connection is cut before the answer
}

const runPath = "/v2/actor-runs/run1"

func (f *fakePlatform) start() (base string) {
	f.charged = map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/key-value-stores/store1/records/INPUT", f.serveInput)
	mux.HandleFunc("GET "+runPath, f.serveRun)
	mux.HandleFunc("POST "+runPath+"/charge", f.serveCharge)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.t.Errorf("the platform has no %s %s", r.Method, r.URL)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer token1" {
			f.t.Errorf("Authorization = %q, want the token of the run", got)
		}
		mux.ServeHTTP(w, r)
	}))
	f.t.Cleanup(server.Close)
	return server.URL
}

func (f *fakePlatform) serveInput(w http.ResponseWriter, _ *http.Request) {
	if f.input == "" {
		http.Error(w, `{"error":{"type":"record-not-found"}}`, http.StatusNotFound)
		return
	}
	io.WriteString(w, f.input)
}

func (f *fakePlatform) serveRun(w http.ResponseWriter, _ *http.Request) {
	if f.price == 0 {
		io.WriteString(w, `{"data":{"id":"run1","pricingInfo":{"pricingModel":"FREE"}}}`)
		return
	}
	counts, _ := json.Marshal(f.counts)
	io.WriteString(w, `{"data":{"id":"run1","pricingInfo":{"pricingModel":"PAY_PER_EVENT","pricingPerEvent":{"actorChargeEvents":{
		"apify-actor-start":{"eventTitle":"Start","eventPriceUsd":0.5},
		"tool-call":{"eventTitle":"Tool call","eventPriceUsd":`+strconv.FormatFloat(f.price, 'f', -1, 64)+`}}}},"chargedEventCounts":`+string(counts)+`}}`)
}

func (f *fakePlatform) serveCharge(w http.ResponseWriter, r *http.Request) {
	var body struct {
		EventName string
		Count     int
	}
	key := r.Header.Get("Idempotency-Key")
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.EventName != "tool-call" || body.Count != 1 || key == "" {
		f.t.Errorf("charge of %+v with key %q: %v", body, key, err)
	}
	f.mu.Lock()
	f.requests++
	var bad fault
	if f.trouble != nil {
		bad = f.trouble(f.requests)
	}
	if bad.status == 0 {
		f.charged[key]++
	}
	f.mu.Unlock()
	switch {
	case bad.lost:
		panic(http.ErrAbortHandler)
	case bad.status != 0:
		http.Error(w, `{"error":{"type":"fault","message":"a fault of the test"}}`, bad.status)
	default:
		w.WriteHeader(http.StatusCreated)
	}
}

// sums returns how many charges were made and how many requests that took.
func (f *fakePlatform) sums() (charges, requests int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.charged), f.requests
}

// The most that a run may charge is counted in decimal fractions of dollars.
func TestPricing(t *testing.T) {
	for _, c := range []struct {
		name    string
		price   float64
		counts  map[string]int64
		most    string
		want    pricing
		wantErr bool
	}{
		{"no limit", 0.1, nil, "", pricing{true, -1}, false},
		{"three", 0.1, nil, "0.3", pricing{true, 3}, false},
		{"not quite three", 0.1, nil, "0.29", pricing{true, 2}, false},
		{"some used", 0.1, map[string]int64{"tool-call": 2, "apify-actor-start": 1}, "1", pricing{true, 3}, false},
		{"all used", 0.1, map[string]int64{"tool-call": 20}, "1", pricing{true, 0}, false},
		{"not paid by the event", 0, nil, "1", pricing{false, -1}, false},
		{"no number", 0.1, nil, "much", pricing{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakePlatform{t: t, price: c.price, counts: c.counts}
			p, err := newPlatform(env(f.start(), nil))
			testkit.Must(t, err)
			got, err := p.pricing(t.Context(), c.most)
			if got != c.want || (err != nil) != c.wantErr {
				t.Errorf("pricing(%q) = %+v, %v, want %+v, error %t", c.most, got, err, c.want, c.wantErr)
			}
		})
	}
}

// A redirect must not carry the token, or the charge, to another place.
func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	first := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	p, err := newPlatform(env(first.URL, nil))
	testkit.Must(t, err)
	if err := p.charge(t.Context(), "key"); err == nil {
		t.Error("charge() = nil, want an error")
	}
}

// env is the environment of the run run1.
func env(base string, more map[string]string) func(string) string {
	set := map[string]string{
		"APIFY_IS_AT_HOME": "1", "APIFY_API_BASE_URL": base, "APIFY_TOKEN": "token1", "ACTOR_RUN_ID": "run1",
		"ACTOR_DEFAULT_KEY_VALUE_STORE_ID": "store1", "ACTOR_WEB_SERVER_PORT": "0",
	}
	for name, value := range more {
		set[name] = value
	}
	return func(name string) string { return set[name] }
}
