package mcpserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Close waits for a call whose client waits. It cancels a call whose client has left.
func TestCloseCancelsUnwantedCalls(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	model := asking(func(ctx context.Context, _ workspace.SummaryRequest) (workspace.SummaryText, error) {
		asked <- true
		select {
		case <-answer:
			return workspace.SummaryText{Text: "It is long.\n"}, nil
		case <-ctx.Done():
			return workspace.SummaryText{}, ctx.Err()
		}
	})
	for name, wanted := range map[string]bool{"wanted": true, "unwanted": false} {
		t.Run(name, func(t *testing.T) {
			s, _ := summarizing(t, model)
			h := serveHTTP(t, s)
			session := beginSession(t, h, "")
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			got := make(chan int, 1)
			go func() { got <- summaryStatus(ctx, h.URL, session) }()
			<-asked
			if !wanted {
				leave()
				<-got
			}
			closed := make(chan bool)
			go func() { s.Close(); close(closed) }()
			if wanted {
				answer <- true
				if status := <-got; status != http.StatusOK {
					t.Errorf("the client who waits got %d, want 200", status)
				}
			}
			select {
			case <-closed:
			case <-time.After(maxWait):
				t.Error("Close waits for a call that nobody wants")
				answer <- true
				<-closed
			}
		})
	}
}

// summaryStatus asks for a summary in a session. It returns 0 if there was no answer.
func summaryStatus(ctx context.Context, url, session string) int {
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(toolCall(1, "summarize_file", `{"path":"f"}`)))
	if err != nil {
		return 0
	}
	for name, value := range as("", session) {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}
