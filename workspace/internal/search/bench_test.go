package search_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

// onePage returns all texts as one page.
func onePage(texts []search.Text) search.Pages[int] {
	return func(context.Context, int) ([]search.Text, int, error) {
		return append([]search.Text{}, texts...), 0, nil
	}
}

// pagesOf returns the texts in pages of at most n.
func pagesOf(texts []search.Text, n int) search.Pages[int] {
	return func(_ context.Context, at int) ([]search.Text, int, error) {
		end := min(at+n, len(texts))
		next := end
		if end == len(texts) {
			next = 0
		}
		return append([]search.Text{}, texts[at:end]...), next, nil
	}
}

// corpus returns files of about 20 KB with so many bytes together.
func corpus(total int) (texts []search.Text) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(strings.Repeat("the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all ", 4) +
		"budget deploy parseConfig retry_limit timeout meeting Thursday postgres error invoice customer refund build release node index plan decision token agent memory")
	var b bytes.Buffer
	for total > 0 {
		b.Reset()
		for line := 0; b.Len() < 20<<10; line++ {
			for range 12 {
				b.WriteString(words[r.IntN(len(words))])
				b.WriteByte(' ')
			}
			b.WriteByte('\n')
			if line%7 == 6 {
				b.WriteByte('\n')
			}
		}
		texts = append(texts, search.Text{Path: fmt.Sprintf("notes/%05d.txt", len(texts)), Time: time.Unix(int64(len(texts)), 0), Content: bytes.Clone(b.Bytes())})
		total -= b.Len()
	}
	return texts
}
