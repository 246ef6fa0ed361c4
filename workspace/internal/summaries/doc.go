// Package summaries makes a summary once, for all callers in one process, and
// counts the tokens that it costs.
//
// A [Work] finds, makes and keeps the summary of one file. A [Maker] knows neither files
// nor models: it decides who calls a [Job], such as a Work, and when:
//
//  1. Callers who want the same summary share a flight (flight.go).
//  2. The flight looks for a summary that was kept meanwhile.
//  3. It reserves the estimated tokens in the account's month (budget.go).
//  4. It calls Make. From here on the work goes on even if all callers leave, because it
//     is paid.
//  5. It corrects the reservation, and calls Keep.
//
// Two processes that are asked for the same summary in the same minutes both pay.
// Afterwards both find the one that is kept. Nothing of a Maker runs inside a transaction.
package summaries
