package summarize

import (
	"fmt"
	"strings"
)

// scanSQL lists statements; those of the same kind one after the other are one.
func scanSQL(text string) (outline, bool) {
	code := blank(text, syntax{line: "--", block: [2]string{"/*", "*/"}, quotes: `'`})
	found := outline{kind: "SQL"}
	n, fresh, same := 1, true, 0
	last := ""
	flush := func() {
		if i := len(found.items) - 1; i >= 0 && same > 1 {
			found.items[i].text = fmt.Sprintf("%s ×%d", last, same)
			found.items[i].brief = 0
		}
	}
	for l := range linesOf(code) {
		at := n
		n += 1 + strings.Count(l.text, string(rune(newString)))
		from := skipBlanks(l.text, 0)
		if from == len(l.text) {
			continue
		}
		if fresh {
			raw := text[l.at+from : l.at+len(l.text)]
			head := statement(raw)
			if head != "" && head == last {
				same++
				found.items[len(found.items)-1].end = int32(n - 1)
			} else if w := strings.ToUpper(word(raw, 0)); isStatement(w) {
				flush()
				last, same = head, 1
				rank := int16(1)
				if w == "CREATE" || w == "ALTER" {
					rank = 0
				}
				raw = raw[:indexOr(l.text[from:], "(")]
				found.items = append(found.items, item{line: int32(at), rank: rank, text: strings.TrimRight(raw, " (\t"), brief: int32(min(len(head), len(raw)))})
			}
		}
		end := strings.TrimRight(l.text, " \t\r")
		fresh = strings.HasSuffix(end, ";") || fresh && end == ""
	}
	flush()
	return found, len(found.items) > 0
}

// statement is the words of one that tell it from others.
func statement(text string) string {
	w := strings.ToUpper(word(text, 0))
	if w != "INSERT" && w != "UPDATE" && w != "DELETE" && w != "GRANT" && w != "SELECT" && w != "SET" && w != "COMMENT" {
		return ""
	}
	fields := strings.Fields(text[:min(len(text), 200)])
	most := 2
	if w == "INSERT" || w == "DELETE" {
		most = 3
	}
	head := strings.Join(fields[:min(len(fields), most)], " ")
	return head[:indexOr(head, "(")]
}

func isStatement(word string) bool {
	switch word {
	case "CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "SELECT", "WITH", "GRANT", "REVOKE", "COMMENT", "TRUNCATE", "COPY", "SET", "BEGIN", "COMMIT", "PRAGMA", "MERGE":
		return true
	}
	return false
}

// scanPatch lists the files that a patch changes.
func scanPatch(text string) (outline, bool) {
	found := outline{kind: "Patch"}
	added, removed := 0, 0
	flush := func(end int) {
		if i := len(found.items) - 1; i >= 0 {
			found.items[i].end = int32(end)
			found.items[i].text += fmt.Sprintf(" +%d -%d", added, removed)
		}
		added, removed = 0, 0
	}
	last := 0
	git := strings.Contains(text[:min(len(text), 1<<16)], "diff --git ")
	for l := range linesOf(text) {
		last = l.n
		switch {
		case git && strings.HasPrefix(l.text, "diff --git "):
			flush(l.n - 1)
			found.items = append(found.items, item{line: int32(l.n), text: clean(l.text[len("diff --git "):], 150)})
		case !git && strings.HasPrefix(l.text, "--- "):
			flush(l.n - 1)
			found.items = append(found.items, item{line: int32(l.n), text: clean(l.text[4:], 150)})
		case strings.HasPrefix(l.text, "+++ "), strings.HasPrefix(l.text, "--- "):
		case strings.HasPrefix(l.text, "+"):
			added++
		case strings.HasPrefix(l.text, "-"):
			removed++
		}
	}
	flush(last)
	return found, len(found.items) > 0
}
