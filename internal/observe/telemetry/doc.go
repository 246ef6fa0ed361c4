// Package telemetry lets operators see what a server does: metrics for Prometheus, a log
// line for each call, and traces for OpenTelemetry.
//
// None of them shows what agents store or ask: no content, no arguments, no paths, no names
// of clients, no credentials. The metrics have no label whose values a caller can choose.
// The log and the traces name tenants, agents and the ids of keys.
//
// Metrics are counted by Prometheus's library, and traces are sent by OpenTelemetry's. A server
// without an endpoint for traces starts nothing for them.
package telemetry
