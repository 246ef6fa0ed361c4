package search

// Forms is forms.
func Forms(word string) []string { return forms(word) }
