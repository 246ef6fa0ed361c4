package evidence

import (
	"slices"
	"testing"
)

// examples has lines for each pattern, with the string that is found in it, or "" if the
// pattern finds nothing.
var examples = map[string][][2]string{
	"URL": {
		{"see https://a.example/x_(y)?q=1&b=2.", "https://a.example/x_(y)?q=1&b=2"}, {"(at http://h:80/z)", "http://h:80/z"},
		{"[doc](https://b.example/d)", "https://b.example/d"}, {"见https://c.example/路。", "https://c.example/路"}, {"a://b", ""},
	},
	"UUID":                   {{"id=550e8400-e29b-41d4-a716-446655440000,", "550e8400-e29b-41d4-a716-446655440000"}},
	"digest":                 {{"image sha256:00ff00ff00ff00ff", "sha256:00ff00ff00ff00ff"}},
	"address in memory":      {{"at 0xc000012345", "0xc000012345"}, {"0xg", ""}},
	"range of commits":       {{"   1a2b3c4..5d6e7f8  main -> main", "1a2b3c4..5d6e7f8"}},
	"IPv4":                   {{"from 10.0.0.7:5432", "10.0.0.7:5432"}, {"in 10.8.0.0/16", "10.8.0.0/16"}, {"1.2", ""}},
	"IPv6":                   {{"on fe80::1", "fe80::1"}, {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"}, {"1:2", ""}},
	"package with a version": {{"lodash@4.17.21", "lodash@4.17.21"}, {"`@acme/ui@^2.0.0`", "@acme/ui@^2.0.0"}, {"x@latest", "x@latest"}},
	"mail address or clone":  {{"me@mail.example", "me@mail.example"}, {"git@github.com:o/r.git", "git@github.com:o/r.git"}},
	"date":                   {{"since 2026-11-03", "2026-11-03"}, {"2026-11-03T10:22:01Z", "2026-11-03T10:22:01Z"}},
	"time":                   {{"at 14:30", "14:30"}},
	"version":                {{"v1.2", "v1.2"}, {"go1.26", "go1.26"}, {"^18.2.0", "^18.2.0"}, {"2.0.0-rc.1", "2.0.0-rc.1"}, {"1.2", ""}},
	"ticket or error code":   {{"PROJ-1234", "PROJ-1234"}, {"CVE-2024-3094", "CVE-2024-3094"}, {"TS2345:", "TS2345"}, {"UTF-8 SHA-256 TOP-1", ""}},
	"issue":                  {{"fixes #123.", "#123"}, {"acme/app#9", "acme/app#9"}, {"#0", ""}},
	"system error":           {{"connect ECONNREFUSED", "ECONNREFUSED"}, {"EXAMPLE", ""}},
	"image with a tag":       {{"registry/app:1.4.2", "registry/app:1.4.2"}},
	"name with a tag":        {{"nginx:1.25", "nginx:1.25"}},
	"money":                  {{"costs $1,200.50", "$1,200.50"}, {"€3k", "€3k"}},
	"number and unit":        {{"64KiB", "64KiB"}, {"(1.5%)", "1.5%"}, {"10-20ms,", "10-20ms"}, {"0%", ""}, {"3beta", ""}},
	"duration":               {{"after 1h30m.", "1h30m"}, {"30s", "30s"}},
	"number and word":        {{"250 ms", "250 ms"}, {"12 retries", "12 retries"}, {"3 files", ""}},
	"labelled number":        {{"version 7", "version 7"}, {"exit status 2", "exit status 2"}, {"the 7", ""}},
	"loud number":            {{"port 5432", "port 5432"}, {"exit code 137", "exit code 137"}, {"HTTP 503", "HTTP 503"}},
	"named version":          {{"Python 3.12", "Python 3.12"}, {"Chapter 3", ""}},
	"Windows path":           {{`C:\Users\me\a.txt`, `C:\Users\me\a.txt`}, {`\\host\share\b`, `\\host\share\b`}, {`src\main\App.cs`, `src\main\App.cs`}, {`\d+\s`, ""}},
	"rooted path":            {{"./run.sh", "./run.sh"}, {"~/notes.md", "~/notes.md"}, {"/etc/hosts,", "/etc/hosts"}, {"/home/ユーザー/メモ.txt", "/home/ユーザー/メモ.txt"}, {"</div>", ""}},
	"path":                   {{"src/auth/login.ts:42", "src/auth/login.ts:42"}, {"请修改src/main.go文件", "src/main.go"}, {"файл/данные.csv", "файл/данные.csv"}, {"and/or TCP/IP 24/7", ""}},
	"file":                   {{"store.go:3", "store.go:3"}, {"config.yaml", "config.yaml"}, {"Node.js e.g. 3.5", ""}},
	"dot file":               {{"in .env,", ".env"}},
	"known file":             {{"the Makefile", "Makefile"}},
	"numbered name":          {{"eu-west-1", "eu-west-1"}, {"api-7d9f8b6c5-x2x4z", "api-7d9f8b6c5-x2x4z"}, {"top-10", ""}},
	"hash":                   {{"9fceb02", "9fceb02"}, {"deadbeef 1234567 facade", ""}},
	"host with a port":       {{"db.internal:5432", "db.internal:5432"}, {"localhost:8080", "localhost:8080"}},
	"name with a port":       {{"redis:6379", "redis:6379"}},
	"flag":                   {{"--max-idle", "--max-idle"}},
	"scoped name":            {{"std::vec::Vec", "std::vec::Vec"}},
	"dotted name":            {{"os.Getenv", "os.Getenv"}, {"node.js", ""}},
	"name with underscores":  {{"max_conns", "max_conns"}, {"MAX_RETRIES", "MAX_RETRIES"}},
	"name with humps":        {{"parseToken", "parseToken"}, {"HTTPServer", "HTTPServer"}, {"GitHub URLs", ""}},
}

// Each pattern finds its examples, and nothing else finds what a pattern leaves out.
func TestPatterns(t *testing.T) {
	for _, p := range patterns {
		if len(examples[p.name]) == 0 {
			t.Errorf("%s: no example", p.name)
		}
		for _, e := range examples[p.name] {
			f := finder{exact: true}
			f.words(e[0])
			switch {
			case e[1] == "" && len(f.found) > 0:
				t.Errorf("%s: %q in %q", p.name, f.found[0].text, e[0])
			case e[1] != "" && !slices.Contains(f.found, finding{e[1], p.kind}):
				t.Errorf("%s: %q is not in %q: %v", p.name, e[1], e[0], f.found)
			}
		}
	}
}
