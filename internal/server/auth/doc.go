// Package auth says who sends a request to a server: a [Caller], from an API key or an
// OAuth token. It decides nothing about memory; package workspace does.
//
//	caller, err := verify(ctx, token)   // a Verifier, such as keys.Verify
//	ctx = auth.NewContext(ctx, caller)
//	...
//	caller, ok := auth.FromContext(ctx)
//	if !caller.Agents.Allow("planner") || !caller.Scopes.Has(auth.Read) {
//
// [Keys] are the API keys of a store, and [Tenants] the limits of their tenants.
// [Sessions] are people who have signed in with an API key.
// [Failures] slow down whoever guesses, and nobody who has a right credential.
//
// An API key is sp_, 8 characters of id, _, 43 of secret and 6 of checksum. The id is no
// secret, and begins the same for all keys of a tenant. The store has the SHA-256 of the
// secret. The secret is as random as the hash is long, so a slow hash would add nothing.
package auth
