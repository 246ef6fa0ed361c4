// Package login has only tests. Clients get access tokens from the OpenID provider of
// zitadel/oidc, in the code flow with PKCE, and use them with the SDK's MCP client at
// scratchpad serve. Nothing of the provider, and nothing of the client, is ours.
//
//		cd internal/e2e && go test ./login
//
//	  - provider_test.go starts the provider, and says what its tokens contain.
//	  - login_test.go has the clients, a user who logs in, and scratchpad serve.
package login
