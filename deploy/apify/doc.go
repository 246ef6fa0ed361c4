// Command apify is Scratchpad as an Actor of the Apify platform: MCP over HTTP at /mcp,
// paid by the call. The folder .actor describes it to the platform.
//
// The Actor reads the input of its run. The keys in the input become the run's own
// ANTHROPIC_API_KEY and OPENAI_API_KEY. After each tool call that succeeded it charges the
// event tool-call, once at most. It charges nothing for a tool call that failed, and nothing
// for other requests, such as the list of the tools.
//
// The memory is in a file of the run and is lost with the run.
package main

// Where to begin:
//
//   - main.go reads the environment, starts the server and stops it.
//   - meter.go decides what is charged and what is refused, and repeats failed charges.
//   - platform.go speaks to the platform's API.
//   - secret.go decrypts secret fields of the input.
