package outline_test

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

// Front matter is YAML, or TOML between plus signs.
func TestOutlineFrontMatter(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.md", "+++\ntitle = \"x\"\n# no\n[params]\n+++\n# One\n", []string{"front matter: title = \"x\"", "6 # One"}, []string{"# no"}},
		{"a.md", "---\r\ntitle: x\r\n---\r\n# One\r\n", []string{"front matter: title: x", "4 # One"}, nil},
		{"a.md", "+++\nSome text.\n\n# One\n", []string{"4 # One"}, []string{"front matter"}},
	})
}

// A mark of the byte order begins no line.
func TestOutlineByteOrderMark(t *testing.T) {
	cases := []outlineCase{
		{"a.md", "# Title\n\n## Part\n", []string{"1-3 # Title", "3 ## Part", "3 lines"}, nil},
		{"a.md", "---\ntitle: x\n---\n# One\n", []string{"front matter: title: x", "4 # One"}, nil},
		{"plan", "# Title\n\n- [ ] a\n", []string{"Markdown", "1-3 # Title"}, nil},
		{"a.json", "{\"a\": 1}\n", []string{"JSON, object of 1 key"}, []string{"no valid"}},
		{"a.js", "class A {\n  b() {}\n}\n\nclass C {}\n", []string{"1 class A", "5 class C"}, nil},
		{"a.ini", "[one]\na=1\n[two]\nb=2\n", []string{"1-2 [one]", "3-4 [two]"}, nil},
		{"a.go", "package a\n\nfunc F() {}\n", []string{"package a", "3 func F()"}, nil},
		{"a.log", "2024-05-01T10:00:00Z INFO a\n2024-05-01T11:00:00Z INFO b\n", []string{"Log, 2024-05-01T10:00:00Z to 2024-05-01T11:00:00Z, 2 lines"}, nil},
		{"a.csv", "a,b\n1,2\n", []string{"\n- a: integer 1"}, nil},
		{"a.yaml", "a: 1\nb: 2\n", []string{"1 a: 1"}, nil},
		{"", "", []string{"Empty, 1 line, 3 bytes"}, nil},
	}
	for i := range cases {
		cases[i].text = "\uFEFF" + cases[i].text
	}
	checkOutlineCases(t, cases)
}
