// Package httpserver is the listener that a team puts on a network. It finds out who
// sends a request, limits what any sender can take from the others, answers questions
// about health, and lets calls end before it stops. It knows the paths, the headers
// and the errors of MCP, but none of its calls: an http.Handler does the work.
//
//	server, err := httpserver.New(httpserver.Options{MCP: mcp.Handler(), Keys: keys.Verify})
//	err = server.Serve(ctx, listener) // until ctx ends and the calls under way are answered
package httpserver

// Where to begin:
//
//   - options.go has the options, server.go serves and stops.
//   - route.go takes every request. address.go checks where it comes from, identify.go
//     who sends it, rate.go how often. refuse.go has all answers that are errors.
//   - health.go answers /healthz and /readyz, tls.go reads certificates.
//   - places.go limits connections, and the heads of requests that have no answer yet.
