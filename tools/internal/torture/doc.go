// Package torture finds out whether a database keeps its promises on the machine where it
// will be used. It starts several servers over one database, lets many clients work on one
// agent through them, and meanwhile kills, stops and cuts off the servers. Then it checks
// every answer.
//
// A round is one history: the calls of all clients on one new agent, with their answers and
// times. [Run] repeats rounds until its time is over or a check fails. These are the checks:
//
//   - Linearizability: one order of all calls explains all answers, and agrees with the
//     times of calls and answers. Package porcupine decides that.
//   - Durability: after kills, a new process finds every acknowledged change.
//   - The journal of changes has each acknowledged change once, without gaps, and nothing
//     that nobody did.
//   - A call that is sent again with its idempotency key happens once.
//   - Versions, counters and limits are those of a simple model.
//   - Isolation: agents with similar names, of the same tenant and of another one, write to
//     the same paths meanwhile. None sees anything of another.
//
// The package is not for speed: its calls wait for pipes and for one another.
package torture

// Where to begin: torture.go runs the rounds, round.go is one of them. worker.go is a server
// process, process.go its handle. client.go makes the calls, call.go says what they are and
// runs them. model.go says what each call does, check.go compares.
