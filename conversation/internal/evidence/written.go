package evidence

import (
	"slices"
	"strings"
)

// written searches a text of the user or the model for commands (in fenced blocks,
// after a prompt and in inline code), decisions and words.
func (f *finder) written(text string) {
	fence, language := "", ""
	var block strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimLeft(line, " \t")
		switch mark := fenceOf(trimmed); {
		case fence == "" && mark != "":
			fence, language = mark, strings.ToLower(strings.TrimSpace(trimmed[len(mark):]))
			block.Reset()
		case fence == "":
			f.line(trimmed)
		case strings.HasPrefix(mark, fence) && strings.TrimSpace(trimmed[len(mark):]) == "":
			f.block(language, block.String())
			fence = ""
		default:
			block.WriteString(line)
			block.WriteByte('\n')
		}
	}
	if fence != "" {
		f.block(language, block.String())
	}
}

// fenceOf returns the marks that open or close a fenced block, or "" for any other
// line.
func fenceOf(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		if run := line[:len(line)-len(strings.TrimLeft(line, mark))]; len(run) >= 3 {
			return run
		}
	}
	return ""
}

// block searches the text of a fenced block.
func (f *finder) block(language, text string) {
	language, _, _ = strings.Cut(language, " ")
	switch {
	case shellLanguages(language) && strings.Contains("\n"+text, "\n$ "):
		for line := range strings.Lines(text) {
			if !f.prompt(strings.TrimSpace(line)) {
				f.result(line, false)
			}
		}
	case shellLanguages(language):
		f.shell(text)
	case language == "sql":
		f.sql(text)
	case language == "" || language == "text":
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if !f.prompt(line) && looksLikeCommand(line) {
				f.command(line)
			} else {
				f.words(line)
			}
		}
	default:
		code := finder{seen: f.seen}
		code.result(text, false)
		f.found = append(f.found, code.found[:min(len(code.found), 16)]...)
	}
}

// line searches a line of prose.
func (f *finder) line(line string) {
	if line == "" || f.prompt(line) {
		return
	}
	f.decisions(line)
	for rest := line; ; {
		open := strings.IndexByte(rest, '`')
		if open < 0 {
			break
		}
		code, after, ok := strings.Cut(rest[open+1:], "`")
		if !ok {
			break
		}
		f.inline(code)
		rest = after
	}
	f.words(line)
}

// inline searches inline code.
func (f *finder) inline(code string) {
	switch {
	case strings.Contains(code, " "):
		if looksLikeCommand(code) || looksLikeSQL(code) {
			f.command(code)
		}
	case len(code) >= 4 && strings.ContainsAny(code, "_-./:0123456789") && hasLetter(code) &&
		!strings.ContainsAny(code, "{}<>()[]|\"'=,;"):
		whole := finder{exact: true}
		whole.words(code)
		if !slices.ContainsFunc(whole.found, func(found finding) bool { return found.text == code }) {
			f.add(nameKind, code)
		}
	}
}

// prompt adds the command after a shell prompt. It reports whether the line has a
// prompt.
func (f *finder) prompt(line string) bool {
	command, ok := strings.CutPrefix(line, "$ ")
	if !ok && strings.HasPrefix(line, "PS ") {
		_, command, ok = strings.Cut(line, "> ")
	}
	if ok {
		f.command(strings.TrimSpace(command))
	}
	return ok
}

// shell adds the commands of a script, without comments, here documents and
// keywords.
func (f *finder) shell(script string) {
	until := ""
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if until != "" {
			if line == until {
				until = ""
			}
			continue
		}
		f.command(strings.TrimPrefix(line, "$ "))
		if _, after, ok := strings.Cut(line, "<<"); ok && !strings.HasPrefix(after, "<") {
			after = strings.TrimLeft(after, "-~ ")
			word, _, _ := strings.Cut(after, " ")
			until = strings.Trim(word, `'"\`)
		}
	}
}

// sql adds the statements of a script that has one a line.
func (f *finder) sql(script string) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if looksLikeSQL(line) {
			f.command(line)
		} else {
			f.words(line)
		}
	}
}

// command adds a line as a command. It adds the words of the line too, in case the
// line is too long.
func (f *finder) command(line string) {
	if line == "" || line[0] == '#' || idleCommands(line) {
		return
	}
	if len(line) >= 4 && strings.ContainsAny(line, " ./-") && !strings.HasPrefix(line, "echo ") {
		f.add(commandKind, line)
	}
	f.words(line)
}

var (
	beforeCommand = lazy(`^(?:sudo |[^\s-]\S*=\S* )*`)
	flagged       = lazy(`^[\w./-]+ (?:.* )?-(?:-\S{2,}|[A-Za-z\d]\S?)(?: |$)`)
)

// looksLikeCommand reports whether a line begins with the name of a program, or with
// any word that is followed by a flag.
func looksLikeCommand(line string) bool {
	line = line[len(beforeCommand().FindString(line)):]
	name, rest, _ := strings.Cut(line, " ")
	if rest == "" {
		return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "/")
	}
	return programs(name) || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "~/") ||
		flagged().MatchString(line)
}

// looksLikeSQL reports whether text begins with an SQL statement.
func looksLikeSQL(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	verb, rest, ok := strings.Cut(text[:min(len(text), 64)], " ")
	if !ok || len(rest) < 4 {
		return false
	}
	object, known := statements[strings.ToUpper(verb)]
	upper := strings.ToUpper(rest)
	return known && (verb != strings.ToLower(verb) && verb == strings.ToUpper(verb) || object != "" &&
		strings.Contains(upper, object))
}

// decisions adds the sentences of a line that state a decision.
func (f *finder) decisions(line string) {
	for line != "" {
		end := sentenceEnd(line)
		sentence := strings.TrimLeft(strings.TrimSpace(line[:end]), "-*#> \t")
		line = line[end:]
		if len(sentence) >= 12 && len(sentence) <= longest && !strings.HasSuffix(sentence, "?") && f.decides(sentence) {
			f.add(decisionKind, sentence)
		}
	}
}

// sentenceEnd returns where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '.', '!', '?':
			if i+1 == len(line) || line[i+1] == ' ' {
				return i + 1
			}
		case 0xE3: // 。
			if strings.HasPrefix(line[i:], "。") {
				return i + len("。")
			}
		}
	}
	return len(line)
}

// decides reports whether a sentence states a decision, by one of the
// decisionWords. A rule counts too if the user wrote it or if it is quoted.
func (f *finder) decides(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, w := range decisionWords {
		if strings.Contains(lower, w) {
			return true
		}
	}
	if !f.user && !strings.ContainsAny(sentence, "\"“„«") {
		return false
	}
	for _, w := range ruleWords {
		if i := strings.Index(lower, w); i == 0 || i > 0 && lower[i-1] == ' ' {
			return true
		}
	}
	return false
}
