// Package oauth accepts access tokens of one issuer, as an OAuth 2.1 resource server. It
// issues no tokens, and it asks the issuer for nothing but its public keys.
//
//	server, err := oauth.New(oauth.Options{
//		Issuer:   "https://login.example.com",
//		Audience: "https://memory.example.com/mcp",
//	})
//	caller, err := server.Verify(ctx, token)   // an auth.Verifier
//
// A token is a JWT that is signed with RS256 (2,048-4,096 bits), ES256 or EdDSA (Ed25519). Its claims say until when it
// is valid and what its owner may do:
//
//	iss     the issuer, the same bytes as Options.Issuer
//	aud     a text or a list; Options.Audience is among them
//	sub     the subject: with the issuer and the tenant, who the caller is
//	exp     required; nbf is respected
//	tenant  a text                                    (Options.TenantClaim)
//	agents  a text or a list, as for auth.ParseAgents (Options.AgentsClaim)
//	scope   a text with spaces, or a list             (Options.ScopesClaim)
//
// There are no defaults: a token without one of them is refused, but for nbf. Scopes with
// other names, such as openid, count for nothing. Clocks may differ by 30 seconds.
//
// ID tokens, refresh tokens and logout tokens of the issuer are refused. They are known by
// their claims: nonce, at_hash, c_hash, events, or a typ such as ID. The typ of the header
// counts for nothing, because issuers write many things there.
//
// The issuer need not run when the server starts. Its keys are fetched when the first token
// comes, and again when they are 5 minutes old and a token comes. A token of a key that is
// not known makes the server ask at once: five times in a row, and then once in 10 seconds.
// While the issuer is away, its last keys are good for an hour. After that, Verify returns
// [auth.ErrUnavailable].
//
// A token cannot be revoked here; the issuer makes it short-lived. Tokens that are bound to
// a key of their owner (the claim cnf: DPoP, mutual TLS) are refused, because a Server
// does not see the proof.
package oauth
