package summarize_test

import "testing"

// A fence may stand where an item of a list begins, and ends with its mark or
// where the item does.
func TestOutlineMarkdownFences(t *testing.T) {
	rest := "\n## After\n\nText.\n"
	code := []string{"# no", "## nor"}
	checkOutlineCases(t, []outlineCase{
		{"a.md", "# Top\n\n1. ```bash\n   # no\n   ```\n2. ~~~\n   # no\n   ~~~\n" + rest, []string{"1-12 # Top", "10-12 ## After"}, code},
		{"plan", "# Top\n\n1. ```bash\n   # no\n   ```\n" + rest, []string{"Markdown", "## After"}, code},
		{"a.md", "# Top\n\n- Run:\n  - ```bash\n    # no\n    ```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n- 1) * ```bash\n       # no\n       ```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n-\t```bash\n\t# no\n\t```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n> - ```bash\n>   # no\n>   ```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n> ```\n> # no\n\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n- > ```\n  > # no\n  > ```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n10. ```bash\n# no\n```\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n1. ```bash\n   # no\n2. Next.\n" + rest + "\n```sh\n# no\n```\n\n## Last\n", []string{"## After", "## Last"}, code},
		{"a.md", "# Top\n\n1. ```bash\n   # no\n2. Next.\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n1. ```inline``` code\n2.  ```a`b\n" + rest, []string{"## After"}, nil},
		{"a.md", "# Top\n\n-      ```\n" + rest, []string{"## After"}, nil},
		{"a.md", "# Top\n\n- [ ] ```\n- ``\n- * * *\n" + rest, []string{"## After"}, nil},
		{"a.md", "# Top\n\n- ````\n  ```\n  # no\n  ````\n" + rest, []string{"## After"}, code},
		{"a.md", "# Top\n\n- ```\n  # no\n\n  ## nor\n  ```\n" + rest, []string{"## After"}, code},
	})
}
