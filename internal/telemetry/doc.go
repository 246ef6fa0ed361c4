// Package telemetry lets operators see what a server does: metrics for Prometheus, a log
// line for each call, and traces for OpenTelemetry.
//
// None of them shows what agents store or ask: no content, no arguments, no paths, no names
// of clients, no credentials. The metrics have no label whose values a caller can choose.
// The log and the traces name tenants, agents and the ids of keys.
//
// Traces are sent by code of this package and not by OpenTelemetry's SDK. The SDK and its
// exporter cost every process start, memory and megabytes of program, also where nobody
// wants traces. A server without an endpoint starts nothing and allocates nothing here.
package telemetry
