package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4/json"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	leeway     = 30 * time.Second // how far the issuer's clock and ours may differ
	maxSubject = 1024             // bytes
)

// A claimError says which claim of a token that the issuer has signed is not as it should be.
type claimError struct{ name, cause string }

func (e *claimError) Error() string { return fmt.Sprintf("claim %s %s", e.name, e.cause) }

// claims are those of a token.
type claims map[string]any

// parseClaims decodes a payload. A name that is given twice is an error, as deep as it may be.
func parseClaims(payload []byte) (c claims, err error) {
	if !utf8.Valid(payload) {
		return nil, errors.New("claims: not valid UTF-8")
	}
	// This decoder refuses duplicates, and it tells iss from ISS.
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, fmt.Errorf("claims: %v", err)
	}
	return c, nil
}

// check checks what every token must have.
func (c claims) check(issuer, audience string, now time.Time) error {
	iss, err := c.text("iss")
	if err != nil {
		return err
	}
	aud, err := c.list("aud")
	switch {
	case err != nil:
		return err
	case iss != issuer:
		return &claimError{"iss", fmt.Sprintf("is %.200q, not %q", iss, issuer)}
	case !slices.Contains(aud, audience):
		return &claimError{"aud", fmt.Sprintf("is %.200q, without %q", aud, audience)}
	case c["cnf"] != nil:
		return &claimError{"cnf", "binds the token to a key; this server takes bearer tokens only"}
	}
	if err := c.checkKind(); err != nil {
		return err
	}
	return c.checkTime(now)
}

// checkKind refuses what an issuer signs with the same keys and that is no access token. The
// header does not tell: issuers write many things there.
func (c claims) checkKind() error {
	for _, name := range []string{"nonce", "at_hash", "c_hash"} {
		if c[name] != nil {
			return &claimError{name, "is that of an ID token; send the access token"}
		}
	}
	if c["events"] != nil {
		return &claimError{"events", "is that of a logout token or of another message; send an access token"}
	}
	switch kind, _ := c["typ"].(string); strings.ToLower(kind) {
	case "id", "refresh", "offline", "logout":
		return &claimError{"typ", fmt.Sprintf("is %q; send an access token", kind)}
	}
	return nil
}

func (c claims) checkTime(now time.Time) error {
	seconds := float64(now.UnixMilli()) / 1000
	exp, ok := c["exp"].(float64)
	if !ok {
		return &claimError{"exp", "is missing or is no number"}
	}
	if seconds >= exp+leeway.Seconds() {
		return errors.New("expired")
	}
	switch nbf := c["nbf"].(type) {
	case nil:
	case float64:
		if seconds < nbf-leeway.Seconds() {
			return errors.New("not valid yet")
		}
	default:
		return &claimError{"nbf", "is no number"}
	}
	return nil
}

// text returns a claim that is a text. An empty one counts as missing.
func (c claims) text(name string) (string, error) {
	text, ok := c[name].(string)
	if !ok || text == "" {
		return "", &claimError{name, "is missing or is no text"}
	}
	return text, nil
}

// list returns a claim that is a list of texts, or one text.
func (c claims) list(name string) ([]string, error) {
	if text, ok := c[name].(string); ok && text != "" {
		return []string{text}, nil
	}
	values, ok := c[name].([]any)
	if !ok || len(values) == 0 {
		return nil, &claimError{name, "is missing or is neither a text nor a list"}
	}
	var texts []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, &claimError{name, "has an entry that is no text"}
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// caller returns the owner of a token whose claims are checked.
func (s *Server) caller(c claims) (auth.Caller, error) {
	sub, err := c.text("sub")
	if err != nil {
		return auth.Caller{}, err
	}
	// A replacement character stands for bytes that are lost, so two subjects could be one.
	if len(sub) > maxSubject || strings.ContainsRune(sub, utf8.RuneError) {
		return auth.Caller{}, &claimError{"sub", fmt.Sprintf("is longer than %d bytes, or is not valid text",
			maxSubject)}
	}
	tenant, err := c.text(s.o.TenantClaim)
	if err != nil {
		return auth.Caller{}, err
	}
	if _, err := workspace.ParseAgentID(tenant); err != nil { // tenants have the characters of agents
		return auth.Caller{}, &claimError{s.o.TenantClaim, fmt.Sprintf("is %.200q, which is not the name of a tenant",
			tenant)}
	}
	patterns, err := c.list(s.o.AgentsClaim)
	if err != nil {
		return auth.Caller{}, err
	}
	agents, err := auth.ParseAgents(patterns...)
	if err != nil {
		return auth.Caller{}, &claimError{s.o.AgentsClaim, "names no agents: " + err.Error()}
	}
	scopes, err := s.scopes(c)
	if err != nil {
		return auth.Caller{}, err
	}
	return auth.Caller{
		ID:     "oauth:" + digest(s.o.Issuer, tenant, sub)[:22],
		Tenant: tenant,
		Key:    "oauth:" + digest(s.o.Issuer, sub)[:12],
		Agents: agents,
		Scopes: scopes,
	}, nil
}

// scopes returns what the token allows. Names of other scopes are normal, such as openid.
func (s *Server) scopes(c claims) (all auth.Scopes, err error) {
	given, err := c.list(s.o.ScopesClaim)
	if err != nil {
		return 0, err
	}
	if _, ok := c[s.o.ScopesClaim].(string); ok {
		given = strings.Fields(given[0])
	}
	for _, name := range given {
		if scope, err := auth.ParseScopes(name); err == nil {
			all |= scope
		}
	}
	if all == 0 {
		return 0, &claimError{s.o.ScopesClaim, "has none of read, write, admin, metrics"}
	}
	return all, nil
}

// digest returns a hash of texts, in 43 characters. Other texts, or the same bytes in other
// texts, have another hash.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(t))))
		h.Write([]byte(t))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
