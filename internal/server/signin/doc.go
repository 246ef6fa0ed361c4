// Package signin says to the console who sends a request: [People] have signed in to a
// server with an API key, and a [Link] lets one browser of this machine in. [Keys] manages
// the API keys of a person's tenant. Package auth has the keys and the sessions.
package signin
