package conversation

// EvidenceOptions stand here until the real file comes.
type EvidenceOptions struct{ MaxTokens int }

func gatherEvidence(msgs []Message, before []string, o EvidenceOptions) []string { return before }
func evidenceText(evidence []string) string                                      { return "" }
