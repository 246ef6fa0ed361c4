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

// Lines of a patch are counted as its hunks say, whatever they look like.
func TestOutlinePatchHunks(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"a.diff", "diff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,3 @@\n a\n--- x\n+++ y\n b\n", []string{"1-8 a/x.sql b/x.sql +1 -1"}, nil},
		{"a.diff", "--- a/x.sql\t2024-01-01\n+++ b/x.sql\n@@ -1,3 +1,3 @@ f()\n a\n--- x\n+++ y\n b\n@@ -9 +9,0 @@\n-z\n--- y.c\n+++ y.c\n@@ -0,0 +1,2 @@\n+a\n+b\n", []string{"1-9 a/x.sql 2024-01-01 +1 -2", "10-14 y.c +2 -0"}, nil},
		{"a.patch", "From 1 Mon\nSubject: x\n\n- a point\n---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n-- \n2.39\n\nFrom 2 Mon\n\n- b\n---\ndiff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n", []string{"8-21 a/a b/a +1 -1", "22-27 a/b b/b +1 -0"}, nil},
		{"a.diff", "diff --cc a\n--- a/a\n+++ b/a\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n -b\n++c\n+ d\n", []string{"1-8 a +2 -1"}, nil},
		{"a.diff", "--- a/x\n+++ b/x\n@@ ... @@\n-a\n+b\n+c\n", []string{"1-6 a/x +2 -1"}, nil},
		{"a.diff", "--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n\r\n-b\r\n+c\r\n", []string{"1-7 a/x +1 -1"}, nil},
		{"a.patch", "*** Begin Patch\n*** Update File: a.go\n@@ func f()\n-a\n+b\n*** Add File: b.go\n+c\n+d\n*** End Patch\n", []string{"2-5 a.go +1 -1", "6-9 b.go +2 -0"}, nil},
		{"a.diff", "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 4\n+a\n-b\n\n", []string{"1-7 a/x b/x +0 -0"}, nil},
		{"a", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", []string{"Patch", "1-5 a/x +1 -1"}, nil},
	})
}
