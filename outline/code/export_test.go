package code

// Languages returns the rows of the table.
func Languages() []Language {
	languages()
	return table
}
