package conversation_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// BenchmarkAppend appends below the threshold; the floor is an append to a slice.
func BenchmarkAppend(b *testing.B) {
	msg := UserText("please look at the file and say what is wrong with it")
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		var list []Message
		for b.Loop() {
			if list = append(list, msg); len(list) == 1000 {
				list = nil
			}
		}
	})
	b.Run("memory", func(b *testing.B) {
		m := newMemory(b, Options{SummarizeAt: 1000, Summarize: brief})
		ctx := context.Background()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%900 == 899 {
				m.Clear(ctx)
			}
			m.Append(ctx, msg)
		}
	})
}

// BenchmarkMessages copies a window of 100, of a conversation of 100 messages and
// of one of 100,000.
func BenchmarkMessages(b *testing.B) {
	for _, n := range []int{90, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := newMemory(b, Options{SummarizeAt: 100, KeepLast: 90, Summarize: brief})
			for i := range n {
				add(b, m, UserText(fmt.Sprint("message ", i)))
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Messages()
			}
		})
	}
}

// longToolLoop is a conversation of n messages with tools.
func longToolLoop(n int) []Message {
	var msgs []Message
	for i := 0; len(msgs) < n; i++ {
		id := fmt.Sprint("call_", i)
		msgs = append(msgs, UserText(fmt.Sprint("question ", i)), call(id), ToolResult(id, "the result"), AssistantText("an answer"))
	}
	return msgs[:n]
}

// BenchmarkLinear goes over 10,000 messages.
func BenchmarkLinear(b *testing.B) {
	msgs := longToolLoop(10_000)
	b.Run("SafeCuts", func(b *testing.B) {
		for b.Loop() {
			SafeCuts(msgs)
		}
	})
	b.Run("Trim", func(b *testing.B) {
		for b.Loop() {
			Trim(msgs, TrimOptions{KeepLast: 100})
		}
	})
}

// BenchmarkMillion puts 1,000,000 messages through a window of 100, ten at a time,
// and reports the most that the heap held.
func BenchmarkMillion(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) Journal{
		"memory": func(*testing.B) Journal { return nil },
		"file": func(b *testing.B) Journal {
			j, err := FileJournal(filepath.Join(b.TempDir(), "journal.jsonl"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { j.Close() })
			return j
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m := newMemory(b, Options{SummarizeAt: 100, KeepLast: 50, Journal: open(b), Summarize: brief})
				var most uint64
				batch := make([]Message, 10)
				for i := range 100_000 {
					for k := range batch {
						batch[k] = UserText(fmt.Sprintf("message %d: please look at the file and say what is wrong with it", 10*i+k))
					}
					if err := m.Append(context.Background(), batch...); err != nil {
						b.Fatal(err)
					}
					if i%1000 == 0 {
						var s runtime.MemStats
						runtime.ReadMemStats(&s)
						most = max(most, s.HeapAlloc)
					}
				}
				b.ReportMetric(float64(most)/(1<<20), "MiB-most")
			}
		})
	}
}
