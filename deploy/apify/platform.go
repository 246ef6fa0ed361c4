package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// event is what a successful tool call costs. Its price is set in the Actor's pricing.
const event = "tool-call"

const (
	attemptTime  = 10 * time.Second // for one request to the platform
	mostReceived = 1 << 20          // bytes of an answer of the platform
)

// A platform is the API of Apify, as one run sees it. It is safe for concurrent use.
type platform struct {
	base   string // without a slash at the end
	token  string // of the run
	run    string // the ID of the run
	client *http.Client
}

// A refusal is an answer of the platform that a repeated request would get again.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the platform answered %d: %.300q", r.status, r.text)
}

// newPlatform returns the platform of a run. getenv returns variables of the environment.
func newPlatform(getenv func(string) string) (*platform, error) {
	p := &platform{base: "https://api.apify.com", token: getenv("APIFY_TOKEN"), run: getenv("ACTOR_RUN_ID"),
		client: &http.Client{
			Timeout: attemptTime,
			// A redirect would carry the token elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}
	for _, name := range []string{"APIFY_API_BASE_URL", "APIFY_API_PUBLIC_BASE_URL"} {
		if base := getenv(name); base != "" {
			p.base = base
			break
		}
	}
	p.base = strings.TrimSuffix(strings.TrimRight(p.base, "/"), "/v2")
	if p.token == "" || p.run == "" {
		return nil, errors.New("APIFY_TOKEN or ACTOR_RUN_ID is not set; the platform sets both for each run")
	}
	return p, nil
}

// charge charges the event once. Charges with the same key are one charge. A *refusal is
// final. After any other error the charge may or may not have been made; repeat it with
// the same key.
func (p *platform) charge(ctx context.Context, key string) error {
	body, err := json.Marshal(map[string]any{"eventName": event, "count": 1})
	if err != nil {
		return err
	}
	_, err = p.do(ctx, http.MethodPost, "/v2/actor-runs/"+url.PathEscape(p.run)+"/charge", bytes.NewReader(body),
		http.Header{
			"Content-Type": {"application/json"}, "Idempotency-Key": {key},
		})
	return err
}

// input returns the input of the run: nil if there is none.
func (p *platform) input(ctx context.Context, store, key string) ([]byte, error) {
	b, err := p.do(ctx, http.MethodGet, "/v2/key-value-stores/"+url.PathEscape(store)+"/records/"+url.PathEscape(key),
		nil, nil)
	var refused *refusal
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return nil, nil
	}
	return b, err
}

// A pricing says what the run may charge.
type pricing struct {
	Charges bool  // the event has a price
	Most    int64 // how many events may still be charged; negative: any number
}

// pricing asks what the run may charge. The most that the user allows is in dollars; "": no limit.
func (p *platform) pricing(ctx context.Context, mostDollars string) (pricing, error) {
	b, err := p.do(ctx, http.MethodGet, "/v2/actor-runs/"+url.PathEscape(p.run), nil, nil)
	if err != nil {
		return pricing{}, err
	}
	var run struct {
		Data struct {
			PricingInfo struct {
				PricingModel    string
				PricingPerEvent struct {
					ActorChargeEvents map[string]struct{ EventPriceUsd float64 }
				}
			}
			ChargedEventCounts map[string]int64
		}
	}
	if err := json.Unmarshal(b, &run); err != nil {
		return pricing{}, fmt.Errorf("the platform's answer about the run: %w", err)
	}
	prices := run.Data.PricingInfo.PricingPerEvent.ActorChargeEvents
	price, priced := prices[event]
	if run.Data.PricingInfo.PricingModel != "PAY_PER_EVENT" || !priced {
		return pricing{Most: -1}, nil
	}
	if mostDollars == "" || price.EventPriceUsd <= 0 {
		return pricing{Charges: true, Most: -1}, nil
	}
	left, err := strconv.ParseFloat(mostDollars, 64)
	if err != nil || math.IsNaN(left) {
		return pricing{}, fmt.Errorf("ACTOR_MAX_TOTAL_CHARGE_USD is %.40q, which is not a number of dollars",
			mostDollars)
	}
	for name, count := range run.Data.ChargedEventCounts {
		left -= prices[name].EventPriceUsd * float64(count)
	}
	// Prices are decimal fractions: 0.3 dollars are 3 events of 0.1 and not 2.
	most := math.Floor(left/price.EventPriceUsd + 1e-6)
	return pricing{Charges: true, Most: int64(max(0, min(most, 1e15)))}, nil
}

// do makes one request. An error that is not a *refusal may pass.
func (p *platform) do(ctx context.Context, method, path string, body io.Reader, header http.Header) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, mostReceived+1))
	switch status := res.StatusCode; {
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500:
		return nil, fmt.Errorf("the platform answered %d", status)
	case status >= 300:
		return nil, &refusal{status, string(b)}
	case err != nil:
		return nil, err
	case len(b) > mostReceived:
		return nil, &refusal{status, fmt.Sprintf("more than %d bytes", mostReceived)}
	}
	return b, nil
}

// repeat calls try until it succeeds, is refused, or has failed so many times. It waits
// longer each time.
func repeat(ctx context.Context, attempts int, try func(context.Context) error) error {
	wait := 500 * time.Millisecond
	for n := 1; ; n++ {
		err := try(ctx)
		var refused *refusal
		if err == nil || n == attempts || errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, 30*time.Second)
	}
}
