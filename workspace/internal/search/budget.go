package search

const (
	// Memory is how many bytes all searches of a Service may use together.
	Memory = 64 << 20

	// PageBytes is about how much content a page may have, if it has more than one text.
	PageBytes = 256 << 10

	fixed   = 10 << 20 // of one search: the texts and records that it keeps, and its passages
	known   = 16 << 20 // of the lines of a file that a search over older versions knows
	inPages = 4        // texts of the largest size at once: one that is read, its copy, and one for each worker
)

// Weight returns the memory of a search over texts of at most so many bytes. A search
// never weighs more than the whole budget.
func Weight(largest int64, history bool) int64 {
	weight := fixed + inPages*min(largest, Memory)
	if history {
		weight += known + inPages*min(largest, Memory)
	}
	return min(weight, Memory)
}
