package evidence

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// A session makes the messages of an agent at work. It remembers the exact strings
// in them that somebody may need again: the planted ones. Text that only fills the
// messages is not planted, such as files, listings and the output of tests that
// passed.
type session struct {
	*rand.Rand
	msgs    []Message
	planted []planted

	files   []string
	focus   []string // the files of the task at hand
	hashes  []string
	names   []string
	service string
}

type planted struct {
	kind, text string
	at         int // index of the message
}

func one[T any](s *session, of ...T) T { return of[s.IntN(len(of))] }

func fields(s *session, words string) string { return one(s, strings.Fields(words)...) }

// plant records an exact string of the next message, and returns it.
func (s *session) plant(kind, text string) string {
	s.planted = append(s.planted, planted{kind, text, len(s.msgs)})
	return text
}

func (s *session) path(p string) string    { return s.plant("path", p) }
func (s *session) command(c string) string { return s.plant("command", c) }
func (s *session) hash(h string) string    { return s.plant("hash", h) }
func (s *session) number(n string) string  { return s.plant("number", n) }

func (s *session) say(by Source, text string) {
	s.msgs = append(s.msgs, said(by, text))
}

// call adds a call and its result. Strings that were planted before belong to the
// call; result plants those of the result.
func (s *session) call(text, tool string, arguments map[string]any, result func() string) {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	s.msgs = append(s.msgs, Message{Text: text, Arguments: [][]byte{b}})
	s.msgs = append(s.msgs, said(Result, result()))
}

func (s *session) bash(text, command string, result func() string) {
	s.call(text, "bash", map[string]any{"command": s.command(command), "timeout": 120000}, result)
}

// commit returns a hash of git: mostly seven digits, one in four the whole hash.
func (s *session) commit() string {
	if len(s.hashes) > 3 && s.IntN(3) == 0 {
		return one(s, s.hashes...)
	}
	h := fmt.Sprintf("%08x%016x%016x", s.Uint32(), s.Uint64(), s.Uint64())
	if s.IntN(4) > 0 {
		h = h[:7]
	}
	s.hashes = append(s.hashes, h)
	return h
}

func (s *session) noun() string {
	return fields(s, "token session user order invoice payment cache queue worker router schema report upload search index billing account metric event notification")
}

func (s *session) verb() string {
	return fields(s, "parse load validate refresh encode resolve merge flush render fetch handle build collect apply")
}

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

func (s *session) prose() string {
	return one(s, "Let me check how this is wired up.", "The change is small, but two callers depend on it.", "Next I look at the tests that cover it.",
		"I will keep the public API as it is.", "The error comes from a lower layer, so wrapping it is enough.")
}

// makeSession returns an agent that works on a project in Go.
func makeSession(seed uint64, messages int) *session {
	s := &session{Rand: rand.New(rand.NewPCG(seed, 77))}
	s.world()
	for len(s.msgs) < messages {
		s.codingStep()
	}
	s.msgs = s.msgs[:messages]
	for len(s.planted) > 0 && s.planted[len(s.planted)-1].at >= messages {
		s.planted = s.planted[:len(s.planted)-1]
	}
	return s
}

func (s *session) world() {
	s.service = fields(s, "ledger atlas beacon harbor quill")
	for range 40 {
		p := "internal/" + s.noun() + "/" + s.noun() + one(s, "", "_"+s.verb(), "_store", "_test") + ".go"
		if s.IntN(5) == 0 {
			p = "/home/dev/" + s.service + "/" + p
		}
		s.files = append(s.files, p)
	}
	s.files = append(s.files, "README.md", "Makefile", "docker-compose.yml", ".github/workflows/ci.yml", "docs/architecture.md", "go.mod")
	for range 30 {
		s.names = append(s.names, s.verb()+title(s.noun()))
	}
	s.task()
}

// task chooses the files of the next task, and has the user ask for it.
func (s *session) task() {
	s.focus = nil
	for range 3 + s.IntN(4) {
		s.focus = append(s.focus, one(s, s.files...))
	}
	switch s.IntN(4) {
	case 0:
		s.say(User, fmt.Sprintf("The %s endpoint got slow: p95 is %s now, it was %s before commit %s. Please look at %s first.", s.noun(),
			s.number(fmt.Sprintf("%d ms", 200+s.IntN(900))), s.number(fmt.Sprintf("%d ms", 20+s.IntN(80))), s.hash(s.commit()), s.path(s.focus[0])))
	case 1:
		s.say(User, fmt.Sprintf("CI is red since %s. Run `%s` and fix it, but don't touch %s.", s.hash(s.commit()), s.command(s.testCommand()), s.path(s.focus[0])))
	case 2:
		s.say(User, fmt.Sprintf("Add a limit of %s to the %s upload, the timeout should be %s. The code is in %s.", s.number(fmt.Sprintf("%d MiB", 1+s.IntN(64))), s.noun(),
			s.number(fmt.Sprintf("%ds", 5+s.IntN(90))), s.path(s.focus[0])))
	default:
		s.say(User, fmt.Sprintf("Can you clean up the %s code? It grew a lot, see %s and %s.", s.noun(), s.path(s.focus[0]), s.path(s.focus[1])))
	}
}

func (s *session) testCommand() string {
	dir := "./" + strings.TrimPrefix(path.Dir(one(s, s.focus...)), "/")
	return one(s, "go test ./...", "go vet ./...", "go test "+dir+" -run Test"+title(one(s, s.names...))+" -count=1", "go test -race "+dir)
}

// code returns the text of a file. Nothing is planted in it.
func (s *session) code() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"context\"\n\t\"github.com/acme/%s/internal/%s\"\n)\n\n// See https://pkg.go.dev/net/http#Client\n", s.noun(), s.service, s.noun())
	for range 5 + s.IntN(12) {
		name := one(s, s.names...)
		fmt.Fprintf(&b, "\nfunc (s *%s) %s(ctx context.Context, id string) (*%s, error) {\n\tctx, cancel := context.WithTimeout(ctx, 5*time.Second)\n\tdefer cancel()\n"+
			"\trow, err := s.db.QueryContext(ctx, selectBy_id, id)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"%s: %%w\", err)\n\t}\n\treturn %s(row)\n}\n",
			title(s.noun())+"Store", name, title(s.noun()), s.noun(), one(s, s.names...))
	}
	return b.String()
}

func (s *session) codingStep() {
	f := one(s, s.focus...)
	switch s.IntN(16) {
	case 0, 1, 2:
		s.call(s.prose(), "read_file", map[string]any{"path": s.path(f)}, s.code)
	case 3, 4, 5:
		s.call(s.prose(), "edit_file", map[string]any{"file_path": s.path(f), "old_string": "\tif err != nil {\n\t\treturn err\n\t}\n", "new_string": s.code()[:200]}, func() string {
			return "The file " + s.path(f) + " has been updated."
		})
	case 6, 7, 8:
		s.bash(one(s, "", s.prose()), s.testCommand(), func() string { return s.testOutput(f) })
	case 9, 10:
		name := one(s, s.names...)
		s.bash("", fmt.Sprintf("grep -rn %q --include='*.go' .", name), func() string {
			var b strings.Builder
			for range 2 + s.IntN(6) {
				fmt.Fprintf(&b, "%s:%d:\t%s(ctx, %s)\n", s.path(one(s, s.files...)), 1+s.IntN(400), name, s.noun())
			}
			return b.String()
		})
	case 11:
		s.bash("", fmt.Sprintf("git log --oneline -%d -- %s", 3+s.IntN(5), f), func() string {
			var b strings.Builder
			for range 3 + s.IntN(4) {
				fmt.Fprintf(&b, "%s %s the %s %s\n", s.hash(s.commit()), s.verb(), s.noun(), s.noun())
			}
			return b.String()
		})
	case 12, 13:
		s.bash("", one(s, "ls -la "+path.Dir(f), "find . -type f -not -path './.git/*'", "git ls-files"), func() string {
			var b strings.Builder
			for i := range 60 + s.IntN(400) {
				fmt.Fprintf(&b, "./%s/%s_%d.go\n", s.noun(), s.verb(), i)
			}
			return b.String()
		})
	case 14:
		s.bash("", one(s, "go test -bench . -benchmem ./"+s.noun(), "hyperfine './bin/"+s.service+" --once'", "du -sh "+f), func() string {
			return fmt.Sprintf("%s-8\t  %d\t%s\t%s\nmean %s\n", title(s.verb()), s.IntN(100000), s.number(fmt.Sprintf("%d ns/op", 100+s.IntN(90000))),
				s.number(fmt.Sprintf("%d B/op", 16+s.IntN(9000))), s.number(fmt.Sprintf("%.1f ms", 1+s.Float64()*90)))
		})
	default:
		s.say(Model, fmt.Sprintf("Done: `%s` in %s now takes %s instead of %s. I verified it with `%s`; the change is %s.", s.plant("identifier", one(s, s.names...)), s.path(f),
			s.number(fmt.Sprintf("%d ms", 1+s.IntN(50))), s.number(fmt.Sprintf("%.1f s", 1+9*s.Float64())), s.command(s.testCommand()), s.hash(s.commit())))
		s.task()
	}
}

// testOutput returns the output of a test run. One run in two fails.
func (s *session) testOutput(f string) string {
	var b strings.Builder
	fail := s.IntN(2) == 0
	for range 3 + s.IntN(8) {
		fmt.Fprintf(&b, "=== RUN   Test%s\n--- PASS: Test%s (0.%02ds)\n", title(one(s, s.names...)), title(one(s, s.names...)), s.IntN(90))
	}
	if fail {
		name := "Test" + title(one(s, s.names...))
		fmt.Fprintf(&b, "--- FAIL: %s (0.%02ds)\n    %s:%d: %s: got %d, want %d\n", s.plant("identifier", name), s.IntN(90), s.path(f), 10+s.IntN(300), s.plant("identifier", one(s, s.names...)), s.IntN(10), s.IntN(10))
		for range s.IntN(3) {
			fmt.Fprintf(&b, "%s:%d:%d: undefined: %s\n", s.path(one(s, s.focus...)), 1+s.IntN(300), 1+s.IntN(60), s.plant("identifier", one(s, s.names...)))
		}
		fmt.Fprintf(&b, "FAIL\nexit status 1\n")
	} else {
		fmt.Fprintf(&b, "PASS\nok  \tgithub.com/acme/%s/internal/%s\t0.%03ds\n", s.service, s.noun(), s.IntN(900))
	}
	return b.String()
}
