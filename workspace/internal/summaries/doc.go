// Package summaries makes a summary once, for all callers in all processes, and
// counts the tokens that it costs.
//
// A [Work] finds, makes and keeps the summary of one file. A [Maker] knows neither files
// nor models: it decides who calls a [Job], such as a Work, and when:
//
//  1. Callers of one process who want the same summary share a flight (flight.go).
//  2. The flight takes the lease of the summary, a record that all processes see
//     (lease.go). If another process holds it, the flight waits and looks again.
//  3. With the lease, the flight looks for a summary that was kept meanwhile.
//  4. It reserves the estimated tokens in the account's month (budget.go).
//  5. It calls Make, and renews the lease meanwhile. From here on the work goes on
//     even if all callers leave, because it is paid.
//  6. It corrects the reservation, calls Keep, and gives the lease back. A failure
//     stays in the lease for a few seconds, so that those who waited do not all try
//     again.
//
// Nothing of a Maker runs inside a transaction.
package summaries
