// Package auth says who sends a request to a server: a [Caller], from an API key or an
// OAuth token. It decides nothing about memory; package workspace does.
//
//	caller, err := verify(ctx, token)   // a Verifier
//	ctx = auth.NewContext(ctx, caller)
//	...
//	caller, ok := auth.FromContext(ctx)
//	if !caller.Agents.Allow("planner") || !caller.Scopes.Has(auth.Read) {
package auth
